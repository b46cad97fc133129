import { WITHOUT_TRIAL } from '../helpers/sync-world.ts';
import type { HttpWorld, HttpWorldOptions } from '../interfaces/api/http-world.ts';
import type { Rooms } from './rooms.ts';

/** The number of contacts that one batch decision covers. */
export const MOVED = 40;

/** Opens a service with contacts that have all been enhanced. All of the contacts have then moved. */
export async function openMoved(
  { openWorld }: Pick<Rooms, 'openWorld'>,
  options: HttpWorldOptions = {},
): Promise<HttpWorld> {
  const world = await openWorld({ integration: WITHOUT_TRIAL, ...options });
  for (let index = 0; index < MOVED; index += 1) {
    world.crm.addContact({ firstName: `First${index}`, lastName: `Last${index}` });
  }
  await sync(world);
  for (const { contact } of world.crm.records.values()) {
    world.crm.editContact(contact.id, { addresses: [`${contact.lastName} Quarry Lane, Reno`] });
  }
  await sync(world);
  return world;
}

export async function sync(world: HttpWorld): Promise<void> {
  const { runId } = await world.runner.request({ integrationId: 'riverside', trigger: 'manual' });
  await world.untilEnded(runId);
}
