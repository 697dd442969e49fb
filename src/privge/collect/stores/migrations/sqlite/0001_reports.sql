CREATE TABLE campaigns (
    number   INTEGER PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE,
    document TEXT NOT NULL,              -- canonical JSON, whose SHA-256 is the id
    epsilon  REAL NOT NULL,              -- that of the document
    is_open  INTEGER NOT NULL DEFAULT 1,
    closed   INTEGER,                    -- day of closing, in days since 1970
    retired  INTEGER NOT NULL DEFAULT 0, -- 1 when its codes are gone because retention is over
    texts    INTEGER NOT NULL DEFAULT 0, -- 1 when a node was given as text, so that all ids are text
    reports  INTEGER NOT NULL DEFAULT 0, -- how many are held now
    erased   INTEGER NOT NULL DEFAULT 0,
    last     INTEGER NOT NULL DEFAULT 0  -- sequence number of its newest change
);

-- Rows are appended and never change their size, so that SQLite overwrites them in place and never moves one to another
-- page. Where rows of many sizes move, secure_delete leaves a copy behind now and then (measured: one in 2,000).
-- Erasure overwrites codes with zeros of the same length.
-- A row stays after erasure and retirement: it is the tombstone, and the node's entry in the ledger.
CREATE TABLE reports (
    sequence INTEGER PRIMARY KEY,
    campaign INTEGER NOT NULL REFERENCES campaigns,
    node     BLOB NOT NULL,              -- keys.py
    day      INTEGER NOT NULL,           -- days since 1970
    erased   INTEGER NOT NULL DEFAULT 0,
    codes    BLOB NOT NULL
);

-- Node first: one look-up gives a node's report in this campaign and its ledger over all campaigns.
CREATE UNIQUE INDEX reports_node ON reports (node, campaign);

CREATE TABLE erasures (
    sequence INTEGER PRIMARY KEY,        -- one count with the reports
    campaign INTEGER NOT NULL REFERENCES campaigns
);
