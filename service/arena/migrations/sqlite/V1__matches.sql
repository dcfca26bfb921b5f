-- The same tables, columns and meanings as in migrations/postgres, in SQLite's words.
-- Times are milliseconds since 1970 (UTC). State and variant are the numbers of broadside.v1.MatchState and Variant.
-- A number of 64 bits without a sign is kept as the signed one of the same bits.

PRAGMA application_id = 0x42445331; -- "BDS1"
PRAGMA user_version = 1;

-- A match. What changes with nearly every turn stands in match_event alone.
CREATE TABLE match (
    -- Counts matches in the order of their creation: lists are paged by it.
    place INTEGER PRIMARY KEY,
    match_id INTEGER NOT NULL UNIQUE,
    variant INTEGER NOT NULL,
    state INTEGER NOT NULL,
    private INTEGER NOT NULL CHECK (private IN (0, 1)),
    -- Whoever appends must have been given this epoch: by the creation, which is 1, or by the last claim.
    epoch INTEGER NOT NULL,
    create_time_ms INTEGER NOT NULL,
    -- Of the call that created it; NULL if it gave none.
    request_id TEXT UNIQUE,
    -- What identifies that request.
    fingerprint INTEGER NOT NULL,
    -- broadside.v1.Match as of the last change of more than its moves.
    summary BLOB NOT NULL,
    -- Of its log, once it is over.
    signature BLOB
) STRICT;

CREATE INDEX match_listed ON match (state, variant, private, place);

-- The agents of a match, by name or address, with what lists are filtered by. One row for an agent that plays itself.
CREATE TABLE match_agent (
    agent TEXT NOT NULL,
    place INTEGER NOT NULL REFERENCES match (place) ON DELETE CASCADE,
    state INTEGER NOT NULL,
    variant INTEGER NOT NULL,
    private INTEGER NOT NULL CHECK (private IN (0, 1)),
    PRIMARY KEY (place, agent)
) STRICT, WITHOUT ROWID;

CREATE INDEX match_agent_listed ON match_agent (agent, state, variant, private, place);

-- The log of a match.
CREATE TABLE match_event (
    match_id INTEGER NOT NULL REFERENCES match (match_id) ON DELETE CASCADE,
    -- From 0 on, without a gap.
    seq INTEGER NOT NULL,
    -- Of whoever appended it.
    epoch INTEGER NOT NULL,
    -- Moves accepted in the match once the append that this entry came with was kept.
    moves INTEGER NOT NULL,
    -- broadside.v1.LogEntry.
    body BLOB NOT NULL,
    -- The hash chain's value for it, 32 bytes.
    link BLOB NOT NULL,
    PRIMARY KEY (match_id, seq)
) STRICT, WITHOUT ROWID;

-- A token: its hash alone.
CREATE TABLE token (
    -- Counts tokens in the order of their making.
    place INTEGER PRIMARY KEY,
    token_id TEXT NOT NULL UNIQUE,
    -- The agent that its holder may be; NULL: an operator.
    agent TEXT,
    hash BLOB NOT NULL,
    create_time_ms INTEGER NOT NULL,
    expire_time_ms INTEGER,
    revoke_time_ms INTEGER
) STRICT;

-- What the arena must know again after a restart: keys.
CREATE TABLE secret (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
