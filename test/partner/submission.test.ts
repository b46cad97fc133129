import { describe, expect, it } from 'vitest';
import { AnswerLost } from '../../src/partner/errors.ts';
import { aClient, aPerson, createNotedLog, rejectionOf } from './test-client.ts';
import { json, startService } from './test-service.ts';

const JOB = 'a'.repeat(32);
const people = [aPerson({ trackingId: 't1' }), aPerson({ trackingId: 't2' })];

describe('submitEnhancements', () => {
  it('sends persons in the words of the service and maps tracking ids to jobs', async () => {
    const { baseUrl, received } = await startService(
      json(
        {
          status: 202,
          message: 'Accepted',
          tracking_id_to_job_id: { t1: JOB, t2: 'b'.repeat(32) },
          meta: { requested: 2, processed: 2 },
        },
        202,
      ),
    );
    const submission = await aClient(baseUrl).submitEnhancements(people);
    expect(submission).toEqual({
      jobIds: new Map([
        ['t1', JOB],
        ['t2', 'b'.repeat(32)],
      ]),
      requested: 2,
      processed: 2,
      partialReason: null,
    });
    expect(received[0]?.body).toMatchObject({
      persons: [
        {
          tracking_id: 't1',
          name: { first: 'Ada', last: 'Marlowe' },
          addresses: ['12 Elm Street, Springfield, IL 62701'],
          employers: ['Riverside Works'],
        },
        { tracking_id: 't2' },
      ],
    });
  });

  it('leaves out those that the service did not process, and says why', async () => {
    const { baseUrl } = await startService(
      json(
        {
          tracking_id_to_job_id: { t1: JOB, t2: null },
          meta: {
            requested: 2,
            processed: 1,
            partial: true,
            partial_reason: 'insufficient_credits',
          },
        },
        202,
      ),
    );
    expect(await aClient(baseUrl).submitEnhancements(people)).toEqual({
      jobIds: new Map([['t1', JOB]]),
      requested: 2,
      processed: 1,
      partialReason: 'insufficient_credits',
    });
  });

  it('counts for itself when the service sends no counts', async () => {
    const { baseUrl } = await startService(json({ tracking_id_to_job_id: { t1: JOB } }, 202));
    const submission = await aClient(baseUrl).submitEnhancements(people);
    expect(submission).toMatchObject({ requested: 2, processed: 1 });
  });

  it('keeps the job ids though the counts beside them are malformed', async () => {
    const { baseUrl } = await startService(
      json({ tracking_id_to_job_id: { t1: JOB }, meta: { requested: '2', processed: -1 } }, 202),
    );
    const submission = await aClient(baseUrl).submitEnhancements(people);
    expect(submission).toMatchObject({
      jobIds: new Map([['t1', JOB]]),
      requested: 2,
      processed: 1,
    });
  });

  it.each([
    ['each job as a credit, even if fewer people were processed', 0, 1],
    ['no more credits than people were sent', 5, 2],
  ])('counts %s', async (_, processed, credits) => {
    const { baseUrl } = await startService(
      json({ tracking_id_to_job_id: { t1: JOB }, meta: { requested: 2, processed } }, 202),
    );
    const submission = await aClient(baseUrl).submitEnhancements(people);
    expect(submission).toMatchObject({ jobIds: new Map([['t1', JOB]]), processed: credits });
  });

  it('takes "none processed" for an answer', async () => {
    const { baseUrl } = await startService(
      json({ tracking_id_to_job_id: {}, meta: { requested: 2, processed: 0 } }, 202),
    );
    const submission = await aClient(baseUrl).submitEnhancements(people);
    expect(submission).toMatchObject({ jobIds: new Map(), processed: 0 });
  });

  it.each([
    ['tracking_id_to_job_id', { meta: { processed: 2 } }],
    ['tracking_id_to_job_id.t1', { tracking_id_to_job_id: { t1: 7 } }],
    ['tracking_id_to_job_id', { tracking_id_to_job_id: {}, meta: { processed: 2 } }],
  ])('is lost and names %s when that cannot be read', async (field, body) => {
    const { baseUrl } = await startService(json(body, 202));
    const error = await rejectionOf(aClient(baseUrl).submitEnhancements(people));
    expect(error).toBeInstanceOf(AnswerLost);
    expect(String(error)).toContain(`POST /enhancements`);
    expect(String(error)).toContain(field);
  });

  it('notes when more credits were spent than jobs came back', async () => {
    const log = createNotedLog();
    const { baseUrl } = await startService(
      json({ tracking_id_to_job_id: { t1: JOB }, meta: { requested: 2, processed: 2 } }, 202),
    );
    await aClient(baseUrl, { log }).submitEnhancements(people);
    expect(log.notes.join()).toContain('differ in number');
  });

  it('refuses more persons than the service takes, and none, before it sends', async () => {
    const { baseUrl, received } = await startService(json({}));
    const client = aClient(baseUrl);
    const tooMany = Array.from({ length: 101 }, (_, index) => aPerson({ trackingId: `t${index}` }));
    expect(await rejectionOf(client.submitEnhancements(tooMany))).toBeInstanceOf(RangeError);
    expect(await rejectionOf(client.submitEnhancements([]))).toBeInstanceOf(RangeError);
    expect(received).toEqual([]);
  });

  it('takes a fault of its own surroundings for a lost answer', async () => {
    const { baseUrl } = await startService(json({ tracking_id_to_job_id: { t1: JOB } }, 202));
    const onCall = () => {
      throw new Error('the counter is broken');
    };
    const error = await rejectionOf(aClient(baseUrl, { onCall }).submitEnhancements(people));
    expect(error).toBeInstanceOf(AnswerLost);
  });
});
