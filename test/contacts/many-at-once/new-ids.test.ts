import { expect, it } from 'vitest';
import { continueContacts, findContinuations } from '../../../src/contacts/many-at-once/new-ids.ts';
import type { DueReason } from '../../../src/database/tables/contacts.ts';
import { RUN, START_MS, storeWorlds } from '../../database/store-world.ts';
import { describeEachDatabase } from '../../helpers/test-databases.ts';
import { contactOf, contactRow, identityWith, putContacts } from '../contact-stages.ts';

const IDENTITY = identityWith();

/** Returns a missing contact, and a row with the same details under a different ID. */
function rowsOf(reason: DueReason | null) {
  const same = { identity: IDENTITY, asked_identity: IDENTITY };
  return [
    contactRow({
      ...{ crm_id: 'former', ...same, missing_since: START_MS, donor_id: null },
      ...(reason !== null && { state: 'due', due_reason: reason }),
    }),
    contactRow({
      ...{ crm_id: 'anew', ...same, asked_identity: null, asked_at: null, donor_id: null },
      ...{ state: 'due', due_reason: 'never_enhanced', enhanced_at: null },
    }),
  ];
}

describeEachDatabase('a contact of a list that has another ID', (open) => {
  const createWorld = storeWorlds(open);

  it.each([null, 'profile_old', 'identity_changed'] as const)(
    'counts as paid for if the missing contact was paid for (due: %s)',
    async (reason) => {
      const world = await createWorld();
      await putContacts(world, rowsOf(reason));
      const { store, lease } = world;
      const found = await findContinuations(store.reader, lease.integrationId);
      await store.checkpoint(lease, (trx) => continueContacts(trx, RUN, found));
      expect(await contactOf(world, 'anew')).toMatchObject({
        state: 'settled',
        asked_at: START_MS,
      });
    },
  );

  it.each(['resubmitted_by_person', 'lost_answer_resubmitted'] as const)(
    'is bought if a user has requested another credit for the missing contact (due: %s)',
    async (reason) => {
      const world = await createWorld();
      await putContacts(world, rowsOf(reason));
      const { store, lease } = world;
      const found = await findContinuations(store.reader, lease.integrationId);
      await store.checkpoint(lease, (trx) => continueContacts(trx, RUN, found));
      expect(await contactOf(world, 'anew')).toMatchObject({ state: 'due', asked_at: null });
    },
  );
});
