import { mirrorNetworks } from '../../src/networks/mirror-networks.ts';
import { readGroups } from '../../src/networks/read-groups.ts';
import type { Run, SyncDeps } from '../../src/sync/control/context.ts';
import { createRunControl } from '../../src/sync/control/control.ts';
import { takeLease } from '../database/store-world.ts';
import { readableIdentities } from '../helpers/identities.ts';
import type { NetworkWorld } from './network-world.ts';

type Networks = SyncDeps['partner']['networks'];

/** Replaces some of a run's requests about the service's networks. */
export function withNetworks(
  deps: SyncDeps,
  change: (networks: Networks) => Partial<Networks>,
): SyncDeps {
  const { networks } = deps.partner;
  return { ...deps, partner: { ...deps.partner, networks: { ...networks, ...change(networks) } } };
}

/**
 * Makes a different process take over the client, immediately before this process requests the removal of members.
 */
export function overtakenAtRemoval({ store, integration }: NetworkWorld) {
  return (deps: SyncDeps): SyncDeps =>
    withNetworks(deps, (networks) => ({
      async removeMembers(...asked) {
        await takeLease(store, integration.id);
        await networks.removeMembers(...asked);
      },
    }));
}

/** Reads the groups and mirrors them once, without reading contacts. `change` can replace the dependencies. */
export async function mirrorOnce(
  world: NetworkWorld,
  change: (deps: SyncDeps) => SyncDeps = (deps) => deps,
  integration = world.integration,
): Promise<void> {
  const deps = change(world.deps());
  const { store } = world;
  const attempt = await deps.takeLease(integration.id);
  if (!attempt.acquired) throw new Error(`The lease belongs to ${attempt.owner}`);
  const run: Run = {
    id: deps.newId(),
    lease: attempt.lease,
    integration,
    trigger: 'manual',
    mappings: [],
    mapping: '',
    fields: [],
    described: new Set(),
    partnerKey: store.fingerprint('partner_key', integration.partner.apiKey),
    forgotten: new Set(),
    identities: readableIdentities(store),
    groupMembers: new Set(),
    ignored: new Set(),
    full: false,
    only: null,
    limit: null,
    adopt: false,
    control: createRunControl(deps.clock, new AbortController().signal),
  };
  try {
    await readGroups(deps, run);
    await mirrorNetworks(deps, run);
  } finally {
    run.control.close();
    await store.leases.release(attempt.lease);
  }
}
