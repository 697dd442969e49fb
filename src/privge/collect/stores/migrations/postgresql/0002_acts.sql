-- What operators did (log.py): no node, and never changed.
CREATE TABLE acts (
    number   integer PRIMARY KEY,
    at       text NOT NULL,                 -- UTC, to the second or the day
    kind     text NOT NULL,
    actor    text NOT NULL,
    campaign text,                          -- its id
    count    bigint
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN RAISE EXCEPTION ''the log is only added to''; END';

CREATE TRIGGER acts_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON acts EXECUTE FUNCTION refuse_change();
