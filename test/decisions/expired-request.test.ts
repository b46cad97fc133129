import { expect, it } from 'vitest';
import { generateKey, parseKeyRing } from '../../src/database/encryption/key-ring.ts';
import { createSealer } from '../../src/database/encryption/sealed.ts';
import { askForWork, askSecondPerson } from '../../src/decisions/second-person/ask.ts';
import type { Requester } from '../../src/decisions/second-person/second-user.ts';
import { APPROVAL_MS, findStoredApproval } from '../../src/decisions/statements/approvals.ts';
import { listApprovals } from '../../src/decisions/views/approval.ts';
import { listAuditEntries } from '../../src/privacy/audit/read-audit.ts';
import { INTEGRATION, storeWorlds } from '../database/store-world.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';

const sealer = createSealer(parseKeyRing(generateKey('test')));

const ADA: Requester = {
  account: { kind: 'command', id: 'ada', name: 'ada' },
  actor: { kind: 'command', name: 'ada', from: 'office' },
};

const NO_RULES = {
  ...{ approvals: null, undo: null, forgetEverywhere: false },
  ...{ forget: false, forgetByCrm: false },
};

const asked = {
  request: { what: 'forget', alsoInCrm: true, blockUnknown: false, everywhere: true },
  integrationId: INTEGRATION,
  crmId: 'c-1',
} as const;

describeEachDatabase(
  'a request that equals an expired one which nobody has listed since',
  (open) => {
    const createWorld = storeWorlds(open);

    it('waits for a second user for seven days of its own', async () => {
      const { store, clock } = await createWorld();
      const twoPeople = { ...NO_RULES, forgetEverywhere: true };
      const application = { store, sealer, integrations: new Map(), settings: { twoPeople } };
      await askSecondPerson({ application }, ADA, asked);
      await clock.advance(APPROVAL_MS + 1);
      const again = await askSecondPerson({ application }, ADA, asked);
      // A minute later, the second user would see the request like this.
      await clock.advance(60_000);
      expect((await listApprovals(store)).map(({ id }) => id)).toEqual([again?.id]);
      const entries = await listAuditEntries(store, { limit: 3 });
      expect(entries.map(({ action, actor }) => [action, actor.kind])).toEqual([
        ['approval.asked', 'command'],
        ['approval.ran_out', 'product'],
        ['approval.asked', 'command'],
      ]);
    });

    it('is carried out by the service, if one user is enough', async () => {
      const { store, clock } = await createWorld();
      const application = {
        store,
        sealer,
        integrations: new Map(),
        settings: { twoPeople: NO_RULES },
      };
      await askForWork({ application }, ADA, asked);
      await clock.advance(APPROVAL_MS + 1);
      const again = await askForWork({ application }, ADA, asked);
      // `carryOn` also starts with a list of the confirmed requests.
      await listApprovals(store);
      expect(await findStoredApproval(store, again.id)).toBeDefined();
    });
  },
);
