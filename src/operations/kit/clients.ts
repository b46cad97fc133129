/** Finds the clients that the input names. */
import type { Integration } from '../../core/integration-settings.ts';
import { unknownClient } from '../../core/shared-errors.ts';
import type { World } from './operation.ts';

/** Finds a client. Throws a ConfigurationError (unknown) if the caller has no access to the client. */
export function findClient({ clients }: Pick<World, 'clients'>, id: string): Integration {
  const client = clients.get(id);
  if (client !== undefined) return client;
  throw unknownClient(id, { known: clients.keys() });
}

/** Returns the named clients. If the input names no clients, returns all clients of the caller. */
export function listNamed(
  world: Pick<World, 'clients'>,
  ids: readonly string[] | undefined,
): Integration[] {
  if (ids === undefined) return [...world.clients.values()];
  return [...new Set(ids)].map((id) => findClient(world, id));
}

/**
 * Checks that the caller has access to the clients. If the caller has no access, throws the error for an unknown
 * client. Null means all clients.
 */
export function requireClients(world: Pick<World, 'clients'>, ids: readonly string[] | null): void {
  for (const id of ids ?? []) findClient(world, id);
}
