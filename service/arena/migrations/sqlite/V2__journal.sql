-- What is appended is written in large pieces. SQLite alone: its one writer knows all that is appended at once, and in
-- migrations/postgres each entry stays a row of match_event.

PRAGMA user_version = 2;

-- Appends, in the order in which they were made: a row for each transaction that had any. A row goes once nothing in it stands here
-- alone, so there is little here, and nothing after the arena was stopped in good order.
CREATE TABLE journal (
    -- Counts transactions. Negative: a row of which something could not be read, or not added to its match's log, set aside.
    place INTEGER PRIMARY KEY,
    -- What the frames are: the same again, so that a fault in one of both costs one match at most.
    contents BLOB NOT NULL,
    -- A frame for each append.
    frames BLOB NOT NULL
) STRICT;

-- The log of a match: stretches of it, most often one for the whole match, written at its end. The end of a running match's log stands in
-- the journal alone. A match of schema 1 begins in match_event, which is not added to any more.
CREATE TABLE match_chunk (
    place INTEGER PRIMARY KEY,
    match_id INTEGER NOT NULL REFERENCES match (match_id) ON DELETE CASCADE,
    -- The place in the log of the first entry.
    first INTEGER NOT NULL,
    -- How many there are.
    entries INTEGER NOT NULL,
    -- Moves accepted in the match with the last of them.
    moves INTEGER NOT NULL,
    -- The hash chain's value for the last of them, 32 bytes. The others, which are not kept, follow from the entries, and so does this one if
    -- they are as they were written.
    link BLOB NOT NULL,
    -- Each entry: the length of its broadside.v1.LogEntry, as a varint; the LogEntry.
    body BLOB NOT NULL,
    UNIQUE (match_id, first)
) STRICT;

-- Why entries of the match's log are lost, if any are.
ALTER TABLE match ADD COLUMN damage TEXT;
