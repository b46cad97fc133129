/** Stores the members of each network. The connections of the members are also stored. */

import type { Database } from '../database.ts';
import type { NetworkLabel } from './networks.ts';
import type { StoredConnections } from './stored-connections.ts';

/**
 * The members of all networks. One transaction changes a network and its stored connections. A donor's connections are
 * stored as long as at least one of the team's networks contains the donor.
 */
export interface Members {
  /**
   * Adds a donor. Returns false if the network already contains the donor. If the donor's connections are not stored,
   * computes them.
   */
  add(team: string, network: number, donor: number): boolean;
  /** Removes a donor from a network. The donor does not have to be a member. */
  remove(team: string, network: number, donor: number): void;
  /**
   * Returns true if the team added this donor at a time when its record described two people. After the two people were
   * separated, none of the team's networks contains the donor.
   */
  wasForTwo(team: string, donor: number): boolean;
  /** Returns the donors that the network contains. */
  list(network: number): number[];
  /** Returns the team's networks that contain the donor, oldest network first. */
  networksOf(team: string, donor: number): NetworkLabel[];
  covered(team: string, filter: CoverFilter): CoveredMember[];
}

/** The filters of a search (section 4.2). A filter is null if the request omits it. */
export interface CoverFilter {
  networks: readonly number[] | null;
  /** The numbers of donors. Donors who are not members are ignored. */
  donors: readonly number[] | null;
}

/** The membership of a donor in one network. A donor in several networks has several memberships. */
export interface CoveredMember extends NetworkLabel {
  /** The number that the member has in the connection store. */
  member: number;
  donor: number;
}

/** Opens the store of members in a database. */
export function createMembers(db: Database, stored: StoredConnections): Members {
  const sql = prepareStatements(db);
  return {
    add: db.transaction((team: string, network: number, donor: number) => {
      const { changes } = sql.insert.run(network, donor);
      sql.clearMark.run(String(network), donor);
      stored.keep(team, donor);
      return changes > 0;
    }),
    remove: db.transaction((team: string, network: number, donor: number) => {
      sql.remove.run(network, donor);
      sql.clearMark.run(String(network), donor);
      if (sql.networksOf.get(donor, team) === undefined) {
        stored.drop(team, donor);
      }
    }),
    wasForTwo: (team, donor) =>
      sql.marked.get(team, donor) !== undefined && sql.networksOf.get(donor, team) === undefined,
    list: (network) => sql.list.all(network).map(({ donor }) => donor),
    networksOf: (team, donor) => sql.networksOf.all(donor, team),
    covered: (team, { networks, donors }) =>
      sql.covered.all({
        team,
        networks: networks && JSON.stringify(networks),
        donors: donors && JSON.stringify(donors),
      }),
  };
}

function prepareStatements(db: Database) {
  return {
    insert: db.prepare<[number, number]>(
      'insert or ignore into network_members (network, donor) values (?, ?)',
    ),
    remove: db.prepare<[number, number]>(
      'delete from network_members where network = ? and donor = ?',
    ),
    clearMark: db.prepare<[string, number]>(
      "delete from mixed_places where kind = 'network' and place = ? and donor = ?",
    ),
    marked: db.prepare<[string, number]>(
      "select 1 from mixed_places where kind = 'network' and team = ? and donor = ?",
    ),
    list: db.prepare<[number], { donor: number }>(
      'select donor from network_members where network = ?',
    ),
    networksOf: db.prepare<[number, string], NetworkLabel>(
      `select networks.id network_id, networks.name
       from network_members join networks on networks.number = network
       where donor = ? and team = ? order by networks.number`,
    ),
    covered: db.prepare<
      [{ team: string; networks: string | null; donors: string | null }],
      CoveredMember
    >(
      `select stored_members.number member, network_members.donor, networks.id network_id,
              networks.name
       from networks
       join network_members on network_members.network = networks.number
       join stored_members on stored_members.team = networks.team
                          and stored_members.donor = network_members.donor
       where networks.team = @team
         and (@networks is null or networks.number in (select value from json_each(@networks)))
         and (@donors is null or network_members.donor in (select value from json_each(@donors)))
       order by networks.number`,
    ),
  };
}
