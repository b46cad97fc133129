import { WITHOUT_TRIAL } from '../helpers/sync-world.ts';
import {
  type HttpWorld,
  type HttpWorldOptions,
  openHttpWorld,
} from '../interfaces/api/http-world.ts';

export interface NetworkHttpWorld extends HttpWorld {
  /** The IDs of the contacts in the CRM. The first contacts are members of the board. */
  people: string[];
}

/**
 * Opens a service whose board is a network. Warm paths between its contacts and the network have already been computed.
 */
export async function openNetworkWorld(
  options: HttpWorldOptions = {},
  { contacts = 80, board = 12 } = {},
): Promise<NetworkHttpWorld> {
  const world = await openHttpWorld({
    ...options,
    // With few donors and few organizations, many donors are connected to each other.
    service: { donors: contacts, networkJobTimeMs: 0, ...options.service },
    integration: {
      ...WITHOUT_TRIAL,
      networks: [{ name: 'Board', color: 'teal', group: { group: 'board' } }],
      ...options.integration,
    },
  });
  const people = await world.addPeople(contacts);
  world.crm.addGroup('board', people.slice(0, board));
  const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
  await world.untilEnded(runId);
  return { ...world, people };
}
