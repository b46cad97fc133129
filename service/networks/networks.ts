/** Networks, which are named groups of people that a team knows (service document, sections 1 and 2.1). */

import { z } from '@hono/zod-openapi';
import type { Database } from '../database.ts';

/** The colours that a network may have. */
export const COLORS = [
  'teal',
  'blue',
  'green',
  'orange',
  'pink',
  'purple',
  'red',
  'yellow',
  'gray',
] as const;

/** The schema of a network's identifier and name, which other records use to refer to the network. */
export const networkLabelSchema = z
  .object({ network_id: z.string(), name: z.string() })
  .openapi('NetworkLabel');

/** The schema of a network in responses. */
export const networkSchema = z
  .object({
    network_id: z.string(),
    name: z.string(),
    color: z.enum(COLORS),
    created_at: z.iso.datetime(),
    member_count: z.number().int(),
  })
  .openapi('Network');

/** A network's identifier and name in the form in which the response contains them. */
export type NetworkLabel = z.infer<typeof networkLabelSchema>;

/** A network in the form in which the response contains it. */
export type Network = z.infer<typeof networkSchema>;

/** The data that a caller sends to create a network. */
export type NetworkOrder = Pick<Network, 'name' | 'color'>;

/** Stores networks. A method never returns or changes a network of another team. */
export interface Networks {
  /** Creates an empty network. Returns undefined if the team already has a network with that name. */
  create(team: string, order: NetworkOrder): Network | undefined;
  /** Returns the networks of all teams with their numbers, for code that does not act for a team. */
  all(): (NetworkLabel & { number: number; team: string })[];
  /** Returns a team's networks. The oldest network comes first. */
  list(team: string): Network[];
  /**
   * Returns the network's number, which members use to refer to the network. Returns undefined if the team has no such
   * network.
   */
  find(team: string, networkId: string): number | undefined;
  /** Renames a network. Returns false if another network of the team has this name. */
  rename(team: string, network: number, name: string): boolean;
  /** Removes a network, which must not have any members. */
  remove(network: number): void;
}

/** Opens the store of networks in a database. `createId` returns 32 random hexadecimal characters. */
export function createNetworks(
  db: Database,
  { clock, createId }: { clock: () => number; createId: () => string },
): Networks {
  const sql = prepareStatements(db);
  const isTaken = (team: string, name: string) => sql.named.get(team, name) !== undefined;
  return {
    create(team, { name, color }) {
      if (isTaken(team, name)) {
        return undefined;
      }
      const row = { id: createId(), team, name, color, createdAtMs: clock() };
      sql.insert.run(row);
      return toNetwork({ ...row, memberCount: 0 });
    },
    all: () => sql.all.all(),
    list: (team) => sql.list.all(team).map(toNetwork),
    find: (team, networkId) => sql.find.get(team, networkId)?.number,
    rename(team, network, name) {
      const bearer = sql.named.get(team, name)?.number ?? network;
      if (bearer === network) {
        sql.rename.run(name, network);
      }
      return bearer === network;
    },
    remove(network) {
      sql.removeMarks.run(String(network));
      sql.remove.run(network);
    },
  };
}

interface Row extends NetworkOrder {
  id: string;
  team: string;
  createdAtMs: number;
}

function prepareStatements(db: Database) {
  return {
    insert: db.prepare<[Row]>(
      `insert into networks (id, team, name, color, created_at_ms)
       values (@id, @team, @name, @color, @createdAtMs)`,
    ),
    all: db.prepare<[], NetworkLabel & { number: number; team: string }>(
      'select number, id network_id, team, name from networks order by number',
    ),
    list: db.prepare<[string], Row & { memberCount: number }>(
      `select id, team, name, color, created_at_ms createdAtMs,
              (select count(*) from network_members where network = number) memberCount
       from networks where team = ? order by number`,
    ),
    find: db.prepare<[string, string], { number: number }>(
      'select number from networks where team = ? and id = ?',
    ),
    named: db.prepare<[string, string], { number: number }>(
      'select number from networks where team = ? and name = ?',
    ),
    rename: db.prepare<[string, number]>('update networks set name = ? where number = ?'),
    remove: db.prepare<[number]>('delete from networks where number = ?'),
    removeMarks: db.prepare<[string]>(
      "delete from mixed_places where kind = 'network' and place = ?",
    ),
  };
}

function toNetwork(row: Row & { memberCount: number }): Network {
  return {
    network_id: row.id,
    name: row.name,
    color: row.color,
    created_at: new Date(row.createdAtMs).toISOString(),
    member_count: row.memberCount,
  };
}
