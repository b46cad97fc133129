import { describe, expect, it } from 'vitest';
import {
  type Brief,
  getProblem,
  getStanding,
  judge,
  needsPerson,
  summarise,
} from '../../src/clients/views/verdict.ts';
import { findRecordUrls } from '../../src/interfaces/pages/decisions/record-url.ts';
import { adviceFor } from '../../src/sync/views/advice.ts';

function aBrief(changes: Partial<Brief> = {}): Brief {
  return {
    id: 'riverside',
    name: 'Riverside',
    standing: 'well',
    problem: null,
    decisions: 0,
    ...changes,
  };
}

function aStop(code: string): Partial<Brief> {
  const reason = { code, message: `It was ${code}.` };
  const advice = adviceFor(reason, 'riverside');
  return { standing: 'stopped', problem: { runId: 'r', code, message: reason.message, advice } };
}

const hrefOf = (id: string) => `#${id}`;

describe('judge', () => {
  it('is content when all are', () => {
    expect(judge([aBrief()], hrefOf)).toMatchObject({ level: 'well', tasks: [] });
  });

  it('names what needs a person before anything else', () => {
    const briefs = [
      aBrief({ standing: 'syncing', decisions: 2 }),
      aBrief(aStop('credits_exhausted')),
      aBrief(),
    ];
    const verdict = judge(briefs, hrefOf);
    expect(verdict).toMatchObject({ level: 'attention', headline: '2 clients need you' });
    expect(verdict.tasks).toEqual([
      { text: 'Riverside: It was credits_exhausted.', href: '#riverside' },
      { text: '2 decisions are pending', href: '/decisions' },
    ]);
  });

  it('names the client if there is no other', () => {
    const briefs = [aBrief({ decisions: 2 })];
    expect(judge(briefs, hrefOf).headline).toBe('Riverside needs you');
    expect(summarise(briefs)).toEqual({ level: 'attention', text: '1 needs you' });
  });

  it('counts the clients that need a person, as the header and the filter do', () => {
    const stuck = aStop('credits_exhausted');
    for (const [briefs, count, text] of [
      [[aBrief({ decisions: 5_003 }), aBrief()], '1 client needs you', '1 needs you'],
      [[aBrief({ ...stuck, decisions: 3 }), aBrief()], '1 client needs you', '1 needs you'],
      [[aBrief(stuck), aBrief({ decisions: 1 })], '2 clients need you', '2 need you'],
    ] as const) {
      expect(judge(briefs, hrefOf).headline).toBe(count);
      expect(summarise(briefs)).toEqual({ level: 'attention', text });
      expect(count.split(' ')[0]).toBe(String(briefs.filter(needsPerson).length));
    }
  });

  it('calls no person for what passes by itself', () => {
    for (const code of ['crm_unavailable', 'partner_unavailable', 'interrupted']) {
      const verdict = judge([aBrief(aStop(code))], hrefOf);
      expect(verdict, code).toMatchObject({ level: 'patience', tasks: [] });
    }
  });

  it('says what is being synced', () => {
    const one = aBrief({ standing: 'syncing' });
    expect(judge([one, aBrief()], hrefOf).headline).toBe('Syncing Riverside');
    expect(judge([one, one], hrefOf).headline).toBe('Syncing 2 integrations');
  });

  it('knows the beginning: no integration, and none that was synced', () => {
    expect(judge([], hrefOf).headline).toBe('No client is set up yet');
    const fresh = [aBrief({ standing: 'new' })];
    expect(judge(fresh, hrefOf).headline).toBe('Ready for the first sync');
  });
});

describe('standingOf', () => {
  const calm = { isRunning: false, isQueued: false, problem: null };

  it('puts what goes on before how the last run ended', () => {
    const lastRun = { status: 'failed' };
    expect(getStanding({ ...calm, isRunning: true, isQueued: true, lastRun })).toBe('syncing');
    expect(getStanding({ ...calm, isQueued: true, lastRun })).toBe('queued');
    expect(getStanding({ ...calm, lastRun })).toBe('failed');
  });

  it('takes a run that no process works on for one that was cut off', () => {
    expect(getStanding({ ...calm, lastRun: { status: 'running' } })).toBe('stopped');
    expect(getStanding({ ...calm, lastRun: undefined })).toBe('new');
  });

  it('separates what goes on by itself from what a person has to fix', () => {
    const standing = (code: string) => {
      const { problem = null } = aStop(code);
      return getStanding({ ...calm, lastRun: { status: 'incomplete' }, problem });
    };
    expect(standing('crm_unavailable')).toBe('stopped');
    expect(standing('partner_key_rejected')).toBe('stuck');
  });
});

describe('findRecordUrls', () => {
  async function urlOf(kind: string, url?: string): Promise<string | null> {
    const auth = { type: 'token', token: 'a token' };
    const recordUrl = await findRecordUrls({ crm: { kind, url, auth } });
    return recordUrl('003A/1');
  }

  it('leads to a record of a Salesforce org by its own domain', async () => {
    const domain = 'https://food-bank.my.salesforce.com';
    expect(await urlOf('salesforce', `${domain}/`)).toBe(`${domain}/003A%2F1`);
  });

  it('leads nowhere if the place of the records is not known', async () => {
    expect(await urlOf('salesforce', 'https://login.salesforce.com')).toBeNull();
    expect(await urlOf('salesforce', 'http://food-bank.my.salesforce.com')).toBeNull();
    expect(await urlOf('salesforce', 'https://my.salesforce.com.elsewhere.example')).toBeNull();
    expect(await urlOf('hubspot', 'https://api.hubapi.com')).toBeNull();
    expect(await urlOf('csv')).toBeNull();
    expect(await urlOf('a-package-that-is-not-installed')).toBeNull();
  });
});

describe('a run that ended at its credit limit, as a trial does', () => {
  const problem = getProblem({
    id: 'run',
    integrationId: 'riverside',
    status: 'incomplete',
    reasonCode: 'budget_reached',
    reasonMessage: 'a run may spend 25 credits',
  });

  it('is nowhere called stopped', () => {
    const brief = { id: 'riverside', name: 'Riverside', decisions: 0, problem };
    const briefs = [{ ...brief, standing: 'stopped' as const }];
    expect(summarise(briefs)).toEqual({ level: 'patience', text: '1 at the limit' });
    expect(judge(briefs, () => '#').headline).toBe(
      'A run reached its credit limit; the next one continues',
    );
  });
});
