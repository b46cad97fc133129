/** Stores the hashes of keys. The service does not store the keys themselves, because it shows each key only once. */

import { createHash, randomBytes } from 'node:crypto';
import type { Database } from '../database.ts';
import type { ApiKey } from '../keys.ts';
import { Refusal } from './refusal.ts';
import type { Teams } from './teams.ts';

/** A team's key as an operator sees it, without the secret. */
export interface TeamKey {
  id: string;
  team: string;
  /** The name that the operator has given the key. */
  label: string;
  createdAtMs: number;
  /** The last UTC day on which the key is valid. */
  deactivatesOn: string | null;
  revokedAtMs: number | null;
}

/** The operator's functions for keys, and the look-up of a key for each request. */
export interface TeamKeys {
  /** Creates a key and returns it. No other function returns the key itself. */
  issue(order: { team: string; label: string; deactivatesOn: string | null }): {
    apiKey: string;
    key: TeamKey;
  };
  list(): TeamKey[];
  /** Revokes a key immediately. */
  revoke(id: string): TeamKey;
  setLastDay(id: string, deactivatesOn: string | null): TeamKey;
  /** Finds the key of a request. Returns undefined if the key is unknown or revoked, or if its team is closed. */
  find(apiKey: string): ApiKey | undefined;
}

export function openTeamKeys(
  db: Database,
  teams: Pick<Teams, 'find'>,
  clock: () => number,
): TeamKeys {
  const sql = prepareStatements(db);

  function known(id: string): TeamKey {
    const key = sql.byId.get(id);
    if (key === undefined) {
      throw new Refusal(`There is no key "${id}". List all keys: donor-sync service keys list`);
    }
    return key;
  }

  return {
    issue({ team, label, deactivatesOn }) {
      if (teams.find(team).closedAtMs !== null) {
        throw new Refusal(`The team "${team}" is closed: donor-sync service teams open ${team}`);
      }
      const apiKey = `pds-${randomBytes(24).toString('base64url')}`;
      const id = `key-${randomBytes(4).toString('hex')}`;
      sql.insert.run({
        hash: hashOf(apiKey),
        id,
        team,
        label,
        createdAtMs: clock(),
        deactivatesOn,
      });
      return { apiKey, key: known(id) };
    },
    list: () => sql.list.all(),
    revoke(id) {
      known(id);
      sql.revoke.run(clock(), id);
      return known(id);
    },
    setLastDay(id, deactivatesOn) {
      known(id);
      sql.setLastDay.run(deactivatesOn, id);
      return known(id);
    },
    find: (apiKey) => sql.byHash.get(hashOf(apiKey)),
  };
}

/** Returns the hash of a key. Keys are random, so even a hash without salt is as hard to guess as the key. */
function hashOf(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}

function prepareStatements(db: Database) {
  const columns = `id, team, label, created_at_ms createdAtMs, deactivates_on deactivatesOn,
                   revoked_at_ms revokedAtMs`;
  return {
    insert: db.prepare<[Omit<TeamKey, 'revokedAtMs'> & { hash: string }]>(
      `insert into team_keys
       values (@hash, @id, @team, @label, @createdAtMs, @deactivatesOn, null)`,
    ),
    byId: db.prepare<[string], TeamKey>(`select ${columns} from team_keys where id = ?`),
    list: db.prepare<[], TeamKey>(`select ${columns} from team_keys order by created_at_ms, id`),
    revoke: db.prepare<[number, string]>(
      'update team_keys set revoked_at_ms = coalesce(revoked_at_ms, ?) where id = ?',
    ),
    setLastDay: db.prepare<[string | null, string]>(
      'update team_keys set deactivates_on = ? where id = ?',
    ),
    byHash: db.prepare<[string], ApiKey>(
      `select id apiKey, team, deactivates_on deactivatesOn
       from team_keys join teams on teams.name = team
       where hash = ? and revoked_at_ms is null and closed_at_ms is null`,
    ),
  };
}
