import { findContacts } from '../../src/contacts/contacts.ts';
import type { FieldValue } from '../../src/core/crm-field.ts';
import type { RunReport } from '../../src/core/run.ts';
import { NETWORK_STAGES } from '../../src/networks/mirror-networks.ts';
import { INSIGHT_STAGES } from '../../src/paths/write-warm-paths.ts';
import type { RunRequest } from '../../src/sync/run.ts';
import { createSyncWorld, type SyncWorld, type SyncWorldOptions } from '../helpers/sync-world.ts';

export const BOARD = { name: 'Board', color: 'teal', group: { group: 'board' } };
export const STAFF = { name: 'Staff', color: 'blue', group: { group: 'staff' } };

/** Fields of a CRM in memory. The product writes paths into them. */
export const SENTENCE = 'Warm Path';
export const INTRODUCER = 'Warm Path Introducer';
export const NETWORK = 'Warm Path Network';
export const STRENGTH = 'Warm Path Strength';

/** The parts of a sync test. Its groups are mirrored, and its networks provide warm paths. */
export interface PathWorld extends SyncWorld {
  /** CRM ids of the contacts, in order. */
  people: string[];
  /** Makes the people from `start` to `end` the members of a group in the CRM. */
  setGroup(name: 'board' | 'staff', start: number, end: number): void;
  /** Returns a contact's donor. Fails if the contact has no donor. */
  donorOf(crmId: string): Promise<string>;
  /** Returns the contacts in which the field is filled, with its value. */
  filled(field: string): Map<string, FieldValue>;
  /** Returns the number of comparison requests to the service. */
  compares(): Promise<number>;
}

export interface PathWorldOptions extends SyncWorldOptions {
  /** The number of contacts in the CRM. Defaults to 120. */
  contacts?: number;
  /** The number of contacts on the board, beginning with the first contact. Defaults to 20. */
  board?: number;
}

/** Creates the CRM, the service and the store. No run has started yet. */
export async function createPathWorld({
  contacts = 120,
  board = 20,
  ...options
}: PathWorldOptions = {}): Promise<PathWorld> {
  const world = await createSyncWorld({
    ...options,
    // With few donors and few organizations, many donors know each other.
    service: { donors: contacts, networkJobTimeMs: 0, ...options.service },
    integration: { networks: [BOARD], ...options.integration },
  });
  const people = await world.addPeople(contacts);
  const stages = {
    before: [...NETWORK_STAGES.before, ...INSIGHT_STAGES.before],
    after: [...NETWORK_STAGES.after, ...INSIGHT_STAGES.after],
  };
  const pathWorld: PathWorld = {
    ...world,
    people,
    sync: (request: Partial<RunRequest> = {}): Promise<RunReport> =>
      world.sync({ stages, ...request }),
    setGroup: (name, start, end) => world.crm.addGroup(name, people.slice(start, end)),
    async donorOf(crmId) {
      const row = (await findContacts(world.store.reader, world.integration.id, [crmId])).get(
        crmId,
      );
      if (!row?.donorId) throw new Error(`${crmId} has no donor`);
      return row.donorId;
    },
    filled: (field) =>
      new Map(
        people.flatMap((id) => {
          const value = world.crm.valueOf(id, field);
          return value === null ? [] : [[id, value]];
        }),
      ),
    async compares() {
      const requests = await world.requests();
      return requests.filter(({ path }) => path.endsWith('/networks/connections')).length;
    },
  };
  pathWorld.setGroup('board', 0, board);
  pathWorld.setGroup('staff', 0, 0);
  return pathWorld;
}
