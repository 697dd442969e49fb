-- Campaigns of one round: whoever has a report in one of them reports in no other.
CREATE TABLE rounds (
    campaign integer PRIMARY KEY REFERENCES campaigns,
    name     text NOT NULL
);

CREATE INDEX rounds_name ON rounds (name);

-- Who is asked what: public, and named by the hash of the content. Campaign documents name them.
CREATE TABLE shards (
    id      text PRIMARY KEY,            -- SHA-256 of the content
    day     integer NOT NULL,            -- on which it came, in days since 1970
    content bytea NOT NULL
);
