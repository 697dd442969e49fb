BEGIN TRANSACTION;
CREATE TABLE acts (
    number   INTEGER PRIMARY KEY,
    at       TEXT NOT NULL,              
    kind     TEXT NOT NULL,
    actor    TEXT NOT NULL,
    campaign TEXT,                       
    count    INTEGER
);
INSERT INTO "acts" VALUES(1,'2026-11-16T22:40:55Z','made','former',NULL,2);
INSERT INTO "acts" VALUES(2,'2026-11-16T22:40:56Z','published','former','0f3675928ad4b68471d8af9d96162c94cfce74eeb05d669a122209ee9b9c2e27',NULL);
CREATE TABLE campaigns (
    number   INTEGER PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE,
    document TEXT NOT NULL,              
    epsilon  REAL NOT NULL,              
    is_open  INTEGER NOT NULL DEFAULT 1,
    closed   INTEGER,                    
    retired  INTEGER NOT NULL DEFAULT 0, 
    texts    INTEGER NOT NULL DEFAULT 0, 
    reports  INTEGER NOT NULL DEFAULT 0, 
    erased   INTEGER NOT NULL DEFAULT 0,
    last     INTEGER NOT NULL DEFAULT 0  
);
INSERT INTO "campaigns" VALUES(1,'0f3675928ad4b68471d8af9d96162c94cfce74eeb05d669a122209ee9b9c2e27','{"closes":null,"dimensions":6,"epsilon":1,"format":"privge-campaign-1","high":1,"index_rule":"sha256-floyd","k":3,"law":{"high":184087124157731,"levels":33,"low":131904188332499,"window":26},"low":0,"mechanism":"hds","missing":"midpoint","names":null,"opens":null,"out_of_bounds":"clip","purpose":"","retention_days":null}',1.0,1,NULL,0,1,3,1,5);
CREATE TABLE erasures (
    sequence INTEGER PRIMARY KEY,        
    campaign INTEGER NOT NULL REFERENCES campaigns
);
INSERT INTO "erasures" VALUES(5,1);
CREATE TABLE migrations (number integer PRIMARY KEY);
INSERT INTO "migrations" VALUES(1);
INSERT INTO "migrations" VALUES(2);
CREATE TABLE reports (
    sequence INTEGER PRIMARY KEY,
    campaign INTEGER NOT NULL REFERENCES campaigns,
    node     BLOB NOT NULL,              
    day      INTEGER NOT NULL,           
    erased   INTEGER NOT NULL DEFAULT 0,
    codes    BLOB NOT NULL
);
INSERT INTO "reports" VALUES(1,1,X'616C696365',20455,0,X'010021000700');
INSERT INTO "reports" VALUES(2,1,X'3137',20455,0,X'000000000000');
INSERT INTO "reports" VALUES(3,1,X'FF6FA459EAEE8A3CA4894EDB77E160355E',20455,0,X'020002000200');
INSERT INTO "reports" VALUES(4,1,X'626F62',20455,1,X'000000000000');
CREATE UNIQUE INDEX reports_node ON reports (node, campaign);
CREATE TRIGGER acts_stay BEFORE DELETE ON acts BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END;
CREATE TRIGGER acts_never_change BEFORE UPDATE ON acts BEGIN SELECT RAISE(ABORT, 'the log is only added to'); END;
COMMIT;
