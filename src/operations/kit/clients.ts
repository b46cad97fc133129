/** Looks up the clients that an input names. */
import type { Integration } from '../../core/integration-settings.ts';
import { unknownClient } from '../../core/shared-errors.ts';
import type { World } from './operation.ts';

/**
 * Returns the client with this ID. Throws a ConfigurationError (unknown) if the caller has no access to such
 * a client.
 */
export function findClient({ clients }: Pick<World, 'clients'>, id: string): Integration {
  const client = clients.get(id);
  if (client !== undefined) return client;
  throw unknownClient(id, { known: clients.keys() });
}

/** Returns the named clients without duplicates. If none are named, returns all clients that the caller may access. */
export function listNamed(
  world: Pick<World, 'clients'>,
  ids: readonly string[] | undefined,
): Integration[] {
  if (ids === undefined) return [...world.clients.values()];
  return [...new Set(ids)].map((id) => findClient(world, id));
}

/** Throws the same error if one of these clients does not exist. Null means all clients. */
export function requireClients(world: Pick<World, 'clients'>, ids: readonly string[] | null): void {
  for (const id of ids ?? []) findClient(world, id);
}
