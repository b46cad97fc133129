/** Looks up the clients that an input names. */
import { ConfigurationError } from '../../core/errors.ts';
import type { Integration } from '../../core/integration-settings.ts';
import { didYouMean } from '../../core/near-miss.ts';
import type { World } from './operation.ts';

/** The client with this ID. Throws a ConfigurationError (unknown) if there is none within the caller's reach. */
export function findClient({ clients }: Pick<World, 'clients'>, id: string): Integration {
  const client = clients.get(id);
  if (client !== undefined) return client;
  throw new ConfigurationError(
    `There is no integration "${id}"${didYouMean(id, clients.keys()) || '.'} Nothing was changed.`,
    { code: 'integration_unknown', refusal: 'unknown', details: { integration: id } },
  );
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
