import { describe, expect, it } from 'vitest';
import { type Brief, getStanding, judge } from '../../src/clients/views/verdict.ts';
import { recordUrl } from '../../src/interfaces/pages/decisions/record-url.ts';
import { adviceFor } from '../../src/sync/views/advice.ts';

function aBrief(changes: Partial<Brief> = {}): Brief {
  return { id: 'riverside', name: 'Riverside', standing: 'well', problem: null, ...changes };
}

function aStop(code: string): Partial<Brief> {
  const reason = { code, message: `It was ${code}.` };
  const advice = adviceFor(reason, 'riverside');
  return { standing: 'stopped', problem: { runId: 'r', code, message: reason.message, advice } };
}

const hrefOf = (id: string) => `#${id}`;

describe('judge', () => {
  it('is content when all are', () => {
    expect(judge([aBrief()], 0, hrefOf)).toMatchObject({ level: 'well', tasks: [] });
  });

  it('names what needs a person before anything else', () => {
    const briefs = [aBrief({ standing: 'syncing' }), aBrief(aStop('credits_exhausted'))];
    const verdict = judge(briefs, 2, hrefOf);
    expect(verdict).toMatchObject({ level: 'attention', headline: '2 things need you' });
    expect(verdict.tasks).toEqual([
      { text: 'Riverside: It was credits_exhausted.', href: '#riverside' },
      { text: '2 decisions are pending', href: '/decisions' },
    ]);
  });

  it('calls no person for what passes by itself', () => {
    for (const code of ['crm_unavailable', 'partner_unavailable', 'interrupted']) {
      const verdict = judge([aBrief(aStop(code))], 0, hrefOf);
      expect(verdict, code).toMatchObject({ level: 'patience', tasks: [] });
    }
  });

  it('says what is being synced', () => {
    const one = aBrief({ standing: 'syncing' });
    expect(judge([one, aBrief()], 0, hrefOf).headline).toBe('Syncing Riverside');
    expect(judge([one, one], 0, hrefOf).headline).toBe('Syncing 2 integrations');
  });

  it('knows the beginning: no integration, and none that was synced', () => {
    expect(judge([], 0, hrefOf).headline).toBe('No integration is set up yet');
    const fresh = [aBrief({ standing: 'new' })];
    expect(judge(fresh, 0, hrefOf).headline).toBe('Ready for the first sync');
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

describe('recordUrl', () => {
  const urlOf = (kind: string, url?: string) => recordUrl({ crm: { kind, url } }, '003A/1');

  it('leads to a record of a Salesforce org by its own domain', () => {
    const domain = 'https://food-bank.my.salesforce.com';
    expect(urlOf('salesforce', `${domain}/`)).toBe(`${domain}/003A%2F1`);
  });

  it('leads nowhere if the place of the records is not known', () => {
    expect(urlOf('salesforce', 'https://login.salesforce.com')).toBeNull();
    expect(urlOf('salesforce', 'http://food-bank.my.salesforce.com')).toBeNull();
    expect(urlOf('salesforce', 'https://my.salesforce.com.elsewhere.example')).toBeNull();
    expect(urlOf('hubspot', 'https://api.hubapi.com')).toBeNull();
    expect(urlOf('csv')).toBeNull();
  });
});
