import { memoryDefaultFields } from '../../../connectors/memory/connector.ts';
import type { Integration } from '../../../src/core/integration-settings.ts';
import { silentLog } from '../../../src/core/log.ts';
import { forgetPerson } from '../../../src/privacy/forget/forget.ts';
import type { ErasureReceipt } from '../../../src/privacy/forget/receipt.ts';
import type { ForgetPersonDeps, ForgetRequest } from '../../../src/privacy/forget/targets.ts';
import type { Store } from '../../../src/store.ts';
import {
  createSyncWorld,
  type SyncWorld,
  type SyncWorldOptions,
} from '../../helpers/sync-world.ts';

/** The parts of an erasure test, whose two clients, `riverside` and `lakeside`, use one CRM account. */
export interface ForgetWorld extends SyncWorld {
  lakeside: Integration;
  forget(
    crmId: string,
    request?: Partial<ForgetRequest> & { store?: Store },
  ): Promise<ErasureReceipt>;
}

export async function createForgetWorld(options: SyncWorldOptions = {}): Promise<ForgetWorld> {
  const world = await createSyncWorld({ service: { donors: 200 }, ...options });
  const lakeside = { ...world.integration, id: 'lakeside' };
  return {
    ...world,
    lakeside,
    forget: (crmId, request) => forgetIn(world, crmId, { others: [lakeside], ...request }),
  };
}

/**
 * Erases a contact of the test's client. `others` are further clients in the settings. `store` can be a store that
 * fails.
 */
export function forgetIn(
  world: SyncWorld,
  crmId: string,
  {
    others = [],
    store = world.store,
    ...request
  }: Partial<ForgetRequest> & { others?: readonly Integration[]; store?: Store } = {},
): Promise<ErasureReceipt> {
  const { integration } = world;
  const nothingElse = { alsoInCrm: false, everywhere: false, blockUnknown: false };
  return forgetPerson(forgetDepsOf(world, { others, store }), {
    integration,
    crmId,
    ...nothingElse,
    ...request,
  });
}

/** Returns the dependencies that an erasure needs. */
export function forgetDepsOf(
  world: SyncWorld,
  { others = [], store = world.store }: { others?: readonly Integration[]; store?: Store } = {},
): ForgetPersonDeps {
  const { integration } = world;
  const { clock, newId, takeLease } = world.deps();
  const application = {
    store,
    takeLease,
    integrations: new Map([integration, ...others].map((each) => [each.id, each])),
    async open(of: Integration, signal: AbortSignal) {
      const deps = { ...world.deps(signal, of), store };
      const mappings = of.fields ?? memoryDefaultFields;
      const keepsWrites = deps.connector.erase !== undefined;
      return { integration: of, mappings, deps, keepsWrites, close: deps.connector.close };
    },
  };
  return { application, clock, log: silentLog, newId };
}
