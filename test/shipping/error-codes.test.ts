/** Checks that every error code in the sources has an explanation, and that every explanation has a code. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listRepeated } from '../../scripts/check-codes.ts';
import { findErrorCodes } from '../../scripts/error-codes.ts';
import { ERROR_TOPICS } from '../../src/core/codes/errors.ts';
import { explain, listCodes } from '../../src/core/codes/explain.ts';
import type { StopCode } from '../../src/core/run.ts';
import { PROBLEM_TEXTS } from '../../src/interfaces/api/webhooks/hooks-api.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Codes that come from other programs. The only code is zod's code for one of our checks. */
const FOREIGN: readonly string[] = ['custom'];

/** The error codes with which a run stops. Several steps of a run can use one code. */
const STOP_CODES = {
  credits_exhausted: true,
  budget_reached: true,
  partner_key_rejected: true,
  partner_key_expired: true,
  partner_unavailable: true,
  crm_unauthorized: true,
  crm_limit_reached: true,
  crm_unavailable: true,
  interrupted: true,
  match_rate_low: true,
  contacts_missing: true,
  journal_unwritable: true,
  marks_unconfirmed: true,
  clock_wrong: true,
  store_replaced: true,
  restore_unconfirmed: true,
  store_does_not_know_crm: true,
  lease_lost: true,
  stopped_by_person: true,
} as const satisfies Record<StopCode, true>;

/** Errors whose code comes from elsewhere, and the code that provides it. */
const PASSED_ON = {
  'connectors/requests/errors.ts': 'the functions that call it give the code',
  'src/decisions/second-person/second-user.ts': 'the calls of `refusal` give the code',
  'src/interfaces/api/doors/card-call.ts': 'the codes of `PROBLEM_TEXTS`',
  'src/interfaces/api/request/errors.ts': 'the code of another error, or of `tryLater`',
  'src/interfaces/api/webhooks/hooks-api.ts': 'PROBLEM_TEXTS',
  'src/interfaces/cli/action/operation-output.ts': 'the failure of a client gives the code',
  'src/interfaces/pages/setup/crm-form.ts':
    'the address problems in the `about.ts` of a CRM give the code',
  'src/operations/kit/authorise.ts': 'the calls of `forbidden` give the code',
};

const { codes, passedOn } = findErrorCodes();

const inSources = new Set([
  ...[...codes.keys()].filter((code) => !FOREIGN.includes(code)),
  ...Object.keys(STOP_CODES),
  ...Object.keys(PROBLEM_TEXTS),
]);

const explained = ERROR_TOPICS.flatMap((topic) => Object.keys(topic.codes));

describe('the explanations of error codes', () => {
  it('finds codes however they are given', () => {
    expect(codes.size).toBeGreaterThan(200);
    // The code comes from a literal, a choice, a constant, a function, a table, an argument or a column.
    for (const code of [
      ...['token_unknown', 'settings_not_found', 'database_part_missing', 'hold_without_profile'],
      ...['body_not_json', 'run_unknown', 'cut_off_too_often', 'budget_reached'],
    ]) {
      expect(inSources).toContain(code);
    }
  });

  it('knows each place that passes a code on, so that no code stays unseen', () => {
    expect([...new Set(passedOn.map(({ file }) => file))]).toEqual(Object.keys(PASSED_ON));
  });

  it('explain every code of the sources', () => {
    expect([...inSources].filter((code) => !explained.includes(code)).sort()).toEqual([]);
  });

  it('explain no code that the sources do not have', () => {
    expect(explained.filter((code) => !inSources.has(code)).sort()).toEqual([]);
  });

  it('find each code where one error is created, and a second place at once', () => {
    expect(listRepeated(codes)).toEqual([]);
    const place = { file: 'src/operations/users.ts', line: 1, isCreated: true };
    const planted = new Map([
      ...codes,
      ['person_known', [...(codes.get('person_known') ?? []), place]],
    ]);
    expect(listRepeated(planted)).toEqual([
      expect.stringMatching(/^person_known occurs in several places: .*users\.ts:1$/),
    ]);
    const listed = new Map([
      ...codes,
      ['crm_filter_invalid', [...(codes.get('crm_filter_invalid') ?? []), place]],
    ]);
    expect(listRepeated(listed)).toHaveLength(1);
    // The check also finds an unknown place in a listed file.
    const again = { file: 'connectors/hubspot/filter.ts', line: 9_999, isCreated: true };
    const inSameFile = new Map([
      ...codes,
      ['crm_filter_invalid', [...(codes.get('crm_filter_invalid') ?? []), again]],
    ]);
    expect(listRepeated(inSameFile)).toEqual([
      expect.stringMatching(
        /^crm_filter_invalid is not listed with these places: .*filter\.ts:9999$/,
      ),
    ]);
    expect(
      listRepeated(new Map([...codes].filter(([code]) => code !== 'crm_filter_invalid'))),
    ).toEqual(['crm_filter_invalid is no longer a code: remove it from the list']);
  });

  it('explain each code once', () => {
    expect(explained.filter((code, at) => explained.indexOf(code) !== at)).toEqual([]);
  });

  it.each(listCodes())('are whole sentences about %s, with a document that exists', (code) => {
    const explanations = explain(code);
    expect(explanations.length).toBeGreaterThan(0);
    for (const { means, next, costs, document } of explanations) {
      expect(means).toMatch(/^(?=.{15,})([^a-z]|donor-sync ).*\.$/s);
      expect(next).toMatch(/^(?=.{8,})([^a-z]|donor-sync ).*\.$/s);
      expect(costs ?? 'Nothing.').toMatch(/^[A-Z].*\.$/);
      expect(leadsSomewhere(document), document).toBe(true);
    }
  });
});

function leadsSomewhere(document: string): boolean {
  const [path = '', heading] = document.split('#');
  if (!existsSync(join(ROOT, path))) return false;
  const text = readFileSync(join(ROOT, path), 'utf8');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return heading === undefined || headings.includes(heading);
}
