import { pino } from 'pino';
import { expect, it } from 'vitest';
import { settleByJournal } from '../../src/credits/settle-by-journal.ts';
import type { NewLine } from '../../src/credits/statements/journal/spending-journal.ts';
import { recordLostSubmission } from '../../src/credits/statements/lost-answers.ts';
import { listOpenSubmissions } from '../../src/credits/statements/submissions.ts';
import { contactOf, jobOf, submit, trackingIdOf } from '../contacts/contact-stages.ts';
import { KEY, RUN, storeWorlds } from '../database/store-world.ts';
import { describeEachDatabase } from '../helpers/test-databases.ts';

const SILENT = pino({ level: 'silent' });

describeEachDatabase(
  'an answer that is in the spending journal and not in the database',
  (open) => {
    const createWorld = storeWorlds(open);

    async function settleWith(
      end: Omit<NewLine & { what: 'answered' }, 'what' | 'at' | 'id'> | null,
    ) {
      const world = await createWorld();
      await submit(world, ['c-1', 'c-2']);
      await world.store.checkpoint(world.lease, (trx) => recordLostSubmission(trx, 'submission-1'));
      const lines =
        end === null
          ? []
          : [{ what: 'answered' as const, store: '', at: 1, id: 'submission-1', ...end }];
      const [lost] = await listOpenSubmissions(world.store.reader, KEY);
      const { checkpoint } = world.store;
      const spendingJournal = {
        ...world.store.spendingJournal,
        read: async () => ({ lines, damaged: 0 }),
      };
      const isSettled = await settleByJournal(
        { store: { checkpoint, spendingJournal }, log: SILENT },
        { id: RUN },
        lost === undefined ? [] : [{ open: lost, lease: world.lease }],
      );
      return { world, isSettled, open: await listOpenSubmissions(world.store.reader, KEY) };
    }

    it('settles the submission with its jobs, so that nobody has to decide', async () => {
      const jobs = { [trackingIdOf('c-1')]: 'job one', [trackingIdOf('c-2')]: 'job two' };
      const { world, isSettled, open: left } = await settleWith({ charged: 2, jobs });
      expect([isSettled, left]).toEqual([true, []]);
      expect(await jobOf(world, 'c-1')).toMatchObject({ state: 'processing', job_id: 'job one' });
      expect(await contactOf(world, 'c-2')).toMatchObject({ state: 'submitted' });
    });

    it('makes the contacts due again if it was refused', async () => {
      const { world, isSettled } = await settleWith({ charged: 0, jobs: {} });
      expect(isSettled).toBe(true);
      expect(await contactOf(world, 'c-1')).toMatchObject({ state: 'due' });
    });

    it('leaves the submission to the balance if the journal does not tell its jobs', async () => {
      for (const end of [null, { charged: 2, jobs: {} }]) {
        const { isSettled, open: left } = await settleWith(end);
        expect([isSettled, left.length]).toEqual([false, 1]);
      }
    });
  },
);
