/** Looks up the clients that an input names. */
import type { Integration } from '../../core/integration-settings.ts';
import { unknownClient } from '../../core/shared-errors.ts';
import type { World } from './operation.ts';

/** Throws a ConfigurationError (unknown) without access. */
export function findClient({ clients }: Pick<World, 'clients'>, id: string): Integration {
  const client = clients.get(id);
  if (client !== undefined) return client;
  throw unknownClient(id, { known: clients.keys() });
}

/** Without names, returns all accessible clients. */
export function listNamed(
  world: Pick<World, 'clients'>,
  ids: readonly string[] | undefined,
): Integration[] {
  if (ids === undefined) return [...world.clients.values()];
  return [...new Set(ids)].map((id) => findClient(world, id));
}

/** Throws the same error for an unknown client. Null means all. */
export function requireClients(world: Pick<World, 'clients'>, ids: readonly string[] | null): void {
  for (const id of ids ?? []) findClient(world, id);
}
