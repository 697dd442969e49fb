CREATE TABLE campaigns (
    number   integer PRIMARY KEY,
    id       text NOT NULL UNIQUE,
    document text NOT NULL,                 -- canonical JSON, whose SHA-256 is the id
    epsilon  double precision NOT NULL,     -- that of the document
    is_open  smallint NOT NULL DEFAULT 1,
    closed   integer,                       -- day of closing, in days since 1970
    retired  smallint NOT NULL DEFAULT 0,   -- 1 when its codes are gone because retention is over
    texts    smallint NOT NULL DEFAULT 0,   -- 1 when a node was given as text, so that all ids are text
    reports  bigint NOT NULL DEFAULT 0,     -- how many are held now
    erased   bigint NOT NULL DEFAULT 0,
    last     bigint NOT NULL DEFAULT 0      -- sequence number of its newest change
);

-- A row stays after erasure and retirement: it is the tombstone, and the node's entry in the ledger.
-- Columns in this order need no padding.
CREATE TABLE reports (
    sequence bigint NOT NULL,
    campaign integer NOT NULL REFERENCES campaigns,
    day      integer NOT NULL,              -- days since 1970
    erased   smallint NOT NULL DEFAULT 0,
    node     bytea NOT NULL,                -- keys.py
    codes    bytea NOT NULL,                -- empty after erasure and retirement
    PRIMARY KEY (campaign, sequence)
);

ALTER TABLE reports ALTER COLUMN codes SET STORAGE EXTERNAL;  -- noise does not compress

-- Node first: one look-up gives a node's report in this campaign and its ledger over all campaigns.
CREATE UNIQUE INDEX reports_node ON reports (node, campaign);

CREATE TABLE erasures (
    sequence bigint PRIMARY KEY,            -- one count with the reports
    campaign integer NOT NULL REFERENCES campaigns
);
