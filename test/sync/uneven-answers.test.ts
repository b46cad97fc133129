import { describe, expect, it } from 'vitest';
import { listOpenQuestions } from '../../src/decisions/statements/questions.ts';
import type { PartnerClient } from '../../src/partner/client.ts';
import type { Submission } from '../../src/partner/submission.ts';
import { WITHOUT_TRIAL } from '../helpers/sync-world.ts';
import { open } from './worlds.ts';

/** Returns a service that changes its response to the first submission. */
function answering(change: (answer: Submission) => Submission) {
  let isFirst = true;
  return (client: PartnerClient): PartnerClient => ({
    ...client,
    async submitEnhancements(...sent) {
      const answer = await client.submitEnhancements(...sent);
      const changed = isFirst ? change(answer) : answer;
      isFirst = false;
      return changed;
    },
  });
}

describe('an answer that names fewer jobs than it has charged', () => {
  it('makes the contacts without a job wait for a user, and buys none of them again', async () => {
    const world = await open({
      integration: WITHOUT_TRIAL,
      partner: answering((answer) => ({
        ...answer,
        jobIds: new Map([...answer.jobIds].slice(0, 3)),
      })),
    });
    await world.addPeople(5);
    expect((await world.sync()).contacts).toMatchObject({ submitted: 3, held: 2, waiting: 0 });
    expect((await world.sync({ full: true })).contacts.submitted).toBe(0);
    expect(await world.spent()).toBe(5);
    expect(await listOpenQuestions(world.store.reader)).toMatchObject([
      { kind: 'lost_answer', detail: 'charged, and no job id came back' },
      { kind: 'lost_answer', detail: 'charged, and no job id came back' },
    ]);
  });
});
