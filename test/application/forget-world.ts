import { memoryDefaultFields } from '../../connectors/memory/connector.ts';
import {
  type ForgetPersonDeps,
  type ForgetWish,
  forgetPerson,
} from '../../src/application/forget.ts';
import type { ErasureReceipt } from '../../src/application/forget-receipt.ts';
import type { Integration } from '../../src/core/integration.ts';
import { createSyncWorld, type SyncWorld, type SyncWorldOptions } from '../helpers/sync-world.ts';

/** A world with two integrations of one CRM account, `riverside` and `lakeside`. */
export interface ForgetWorld extends SyncWorld {
  lakeside: Integration;
  forget(crmId: string, wish?: Partial<ForgetWish>): Promise<ErasureReceipt>;
}

export async function createForgetWorld(options: SyncWorldOptions = {}): Promise<ForgetWorld> {
  const world = await createSyncWorld({ service: { donors: 200 }, ...options });
  const { store, integration } = world;
  const lakeside = { ...integration, id: 'lakeside' };
  const deps: ForgetPersonDeps = {
    application: {
      store,
      integrations: new Map([integration, lakeside].map((each) => [each.id, each])),
      takeLease: world.deps().takeLease,
      async open(of, signal) {
        const own = world.deps(signal, of);
        const { connector } = own;
        const mappings = of.fields ?? memoryDefaultFields;
        return { integration: of, connector, mappings, deps: own, close: () => connector.close() };
      },
    },
    clock: world.deps().clock,
    newId: world.deps().newId,
  };
  const nothingElse = { alsoInCrm: false, everywhere: false, blockUnknown: false };
  return {
    ...world,
    lakeside,
    forget: (crmId, wish = {}) =>
      forgetPerson(deps, { integration, crmId, ...nothingElse, ...wish }),
  };
}
