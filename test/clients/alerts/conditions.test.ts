import { describe, expect, it } from 'vitest';
import {
  type IntegrationState,
  listConditions,
  recoveryText,
} from '../../../src/clients/alerts/conditions.ts';
import { ALERT_KINDS, alertsSchema } from '../../../src/core/alert-settings.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');

describe('conditionsOf', () => {
  it('finds nothing where all is well', () => {
    expect(subjects({})).toEqual([]);
    expect(subjects({ lastRun: null, remaining: { enhancements: null, networks: null } })).toEqual(
      [],
    );
  });

  it('tells runs that failed from runs that stopped, by their reason', () => {
    expect(subjects({ lastRun: run('failed', null) })).toEqual(['run_failed/unknown']);
    const atLimit = run('incomplete', 'budget_reached');
    expect(subjects({ lastRun: atLimit })).toEqual(['run_stopped/budget_reached']);
    // During a trial, donor-sync deliberately sends only some of the contacts to the service.
    expect(subjects({ lastRun: { ...atLimit, isTrial: true } })).toEqual([]);
    const failed = run('incomplete', 'crm_unavailable');
    expect(subjects({ lastRun: { ...failed, isTrial: true } })).toEqual([
      'run_stopped/crm_unavailable',
    ]);
    expect(subjects({ lastRun: run('incomplete', 'crm_unauthorized') })).toEqual([
      'run_stopped/crm_unauthorized',
    ]);
  });

  it('says for every known reason what to do, and for others where to look', () => {
    const [known] = find({ lastRun: run('incomplete', 'credits_exhausted') });
    expect(known?.problem).toBe('the last run stopped: the credits are used up');
    const [low] = find({ lastRun: run('incomplete', 'match_rate_low') });
    expect(low?.subject).toBe('run_stopped/match_rate_low');
    expect(low?.steps.join()).toContain('--accept-match-rate');
    const [other] = find({ lastRun: run('failed', 'something_new') });
    expect(other?.steps).toEqual(['To see why: donor-sync runs run-1']);
  });

  it('tells where many contacts of a run failed, if a share is set', () => {
    const contacts = { written: 15, failed: 5 };
    const lastRun = { ...run('incomplete', 'crm_unavailable'), contacts };
    const failedOf = (failedAbovePercent: number | null, counts = contacts) =>
      find({ lastRun: { ...lastRun, contacts: counts } }, { failedAbovePercent }).find(
        ({ subject }) => subject === 'many_failed',
      )?.problem;
    expect(failedOf(20)).toBe('25 % of the contacts of the last run failed (5 of 20 contacts)');
    expect(failedOf(25)).toBeUndefined();
    expect(failedOf(null)).toBeUndefined();
    expect(failedOf(20, { written: 4, failed: 5 })).toBeUndefined();
  });

  it('counts a key as good through the whole of its last day', () => {
    expect(problemOfKey('2026-11-20')).toBe('the service key works until 2026-11-20');
    expect(problemOfKey('2026-11-19')).toBe('the service key has expired on 2026-11-19');
  });

  it('warns of a key so many days before its end', () => {
    // The key's last day ends at midnight. Fourteen days earlier, it is noon on the 20th.
    expect(problemOfKey('2026-12-03')).toContain('works until');
    expect(problemOfKey('2026-12-04')).toBeUndefined();
  });

  it('looks at each bucket against its own limit', () => {
    const remaining = { enhancements: 99, networks: 100 };
    expect(subjects({ remaining })).toEqual(['credits_low/enhancements']);
    expect(subjects({ remaining: { enhancements: 100, networks: 0 } })).toEqual([
      'credits_low/networks',
    ]);
    expect(subjects({ remaining }, { creditsBelow: { enhancements: 0 } })).toEqual([]);
  });

  it('sees what waits for a person', () => {
    expect(find({ held: 1 })[0]?.problem).toBe('1 decision is pending');
    expect(find({ held: 3 })[0]?.problem).toBe('3 decisions are pending');
  });

  it('tells of contacts that are missing at once as one thing, and whether the list was changed', () => {
    const batch = {
      id: 'batch-2',
      kind: 'contacts_missing' as const,
      count: 250,
      isListChanged: false,
      paidBefore: null,
      marks: [],
      source: null,
      parts: {},
    };
    expect(find({ batches: [batch] })).toMatchObject([
      {
        subject: 'held_missing/batch-2',
        problem: '250 contacts are missing from the CRM, and nothing shows that they were deleted',
        steps: [expect.stringContaining('export'), expect.stringContaining('donor-sync holds')],
      },
    ]);
    expect(find({ batches: [{ ...batch, isListChanged: true }] })[0]?.problem).toContain(
      'settings that determine the list have changed',
    );
  });

  it.each([
    ['mass_opt_out', 'held_opt_outs', 'the decision about the opt-outs was made'],
    [
      'erasure_requested',
      'held_erasures',
      'the decision about the erasures that the CRM requests was made',
    ],
  ] as const)('tells of a batch of the kind %s, and when it is decided', (kind, word, over) => {
    const batch = {
      id: 'batch-3',
      kind,
      count: 30,
      isListChanged: false,
      paidBefore: null,
      marks: [],
      parts: {},
    };
    const subject = `${word}/batch-3`;
    expect(subjects({ batches: [{ ...batch, source: null }] })).toEqual([subject]);
    expect(recoveryText(subject)).toBe(over);
  });

  it('tells of contacts that changed at once as one thing, with their number and the price', () => {
    const batches = [
      {
        id: 'batch-1',
        kind: 'identity_mass_change' as const,
        count: 412,
        isListChanged: false,
        paidBefore: null,
        marks: [],
        source: null,
        parts: { employers: 20, addresses: 400 },
      },
    ];
    const [condition, ...others] = find({ batches });
    expect(others).toEqual([]);
    expect(condition).toMatchObject({
      subject: 'held_batch/batch-1',
      problem:
        'the details of 412 contacts changed at once (400 addresses, 20 employers); submitting them again costs 412 credits',
      steps: [expect.stringContaining('donor-sync holds')],
    });
    expect(subjects({ batches }, { on: ['runFailed'] })).toEqual([]);
    expect(subjects({ batches, held: 2 }, { on: ['held'] })).toEqual([
      'held',
      'held_batch/batch-1',
    ]);
  });

  it('leaves out what the settings do not name', () => {
    const state = {
      lastRun: run('failed', null),
      remaining: { enhancements: 0, networks: 0 },
      held: 1,
      keyExpiresOn: '2026-11-21',
    };
    expect(subjects(state)).toHaveLength(5);
    const found = ALERT_KINDS.map((kind) => subjects(state, { on: [kind] }));
    expect(found).toEqual([
      ['run_failed/unknown'],
      [],
      ['key_expires'],
      ['credits_low/enhancements', 'credits_low/networks'],
      ['held'],
      [],
      [],
    ]);
  });

  function run(status: 'failed' | 'incomplete', code: string | null) {
    return { id: 'run-1', status, code };
  }

  function problemOfKey(keyExpiresOn: string): string | undefined {
    return find({ keyExpiresOn })[0]?.problem;
  }

  function subjects(state: Partial<IntegrationState>, settings: object = {}): string[] {
    return find(state, settings).map(({ subject }) => subject);
  }

  function find(state: Partial<IntegrationState>, settings: object = {}) {
    const well: IntegrationState = {
      integrationId: 'riverside',
      lastRun: { id: 'run-1', status: 'succeeded', code: null },
      remaining: { enhancements: 500, networks: 500 },
      held: 0,
      batches: [],
      keyExpiresOn: null,
    };
    return listConditions({ ...well, ...state }, alertsSchema.parse(settings), NOW);
  }
});
