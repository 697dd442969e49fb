-- What operators did (log.py): no node, and never changed.
CREATE TABLE acts (
    number   INTEGER PRIMARY KEY,
    at       TEXT NOT NULL,              -- UTC, to the second or the day
    kind     TEXT NOT NULL,
    actor    TEXT NOT NULL,
    campaign TEXT,                       -- its id
    count    INTEGER
);

CREATE TRIGGER acts_stay BEFORE DELETE ON acts BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END;

CREATE TRIGGER acts_never_change BEFORE UPDATE ON acts BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END;
