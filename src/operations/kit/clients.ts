/** Looks up the clients that an input names. */
import type { Integration } from '../../core/integration-settings.ts';
import { unknownClient } from '../../core/shared-errors.ts';
import type { World } from './operation.ts';

/** The client with this ID. Throws a ConfigurationError (unknown) if there is none within the caller's reach. */
export function findClient({ clients }: Pick<World, 'clients'>, id: string): Integration {
  const client = clients.get(id);
  if (client !== undefined) return client;
  throw unknownClient(id, { known: clients.keys() });
}

/** The clients that are named, each once; all of them within the caller's reach if none is. */
export function listNamed(
  world: Pick<World, 'clients'>,
  ids: readonly string[] | undefined,
): Integration[] {
  if (ids === undefined) return [...world.clients.values()];
  return [...new Set(ids)].map((id) => findClient(world, id));
}

/** Throws likewise if one of them is not there; null stands for all. */
export function requireClients(world: Pick<World, 'clients'>, ids: readonly string[] | null): void {
  for (const id of ids ?? []) findClient(world, id);
}
