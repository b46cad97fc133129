/**
 * Tests the questions of a set-up. The tests check the answers that each question accepts, and the errors for all
 * other answers.
 */
import { describe, expect, it } from 'vitest';
import { REMOTE_CRMS } from '../../../connectors/index.ts';
import { aboutSalesforce } from '../../../connectors/salesforce/about.ts';
import { askAddress, askSignIn } from '../../../src/clients/setup/interview/crm.ts';
import { findProblem, type Question } from '../../../src/clients/setup/interview/question.ts';
import { QUESTIONS, type QuestionName } from '../../../src/clients/setup/interview/questions.ts';

const COLUMNS = ['Donor ID', 'First Name', 'Last Name'];
const COLUMN = { good: ['Donor ID'], bad: { 'Donor Id.': 'did you mean "Donor ID"?' } };
const MARK = { good: ['Donor ID', 'none'], bad: { Died: 'Possible: none, Donor ID' } };
const ADDRESS = {
  good: ['https://a.example', 'http://127.0.0.1:8787'],
  bad: { 'a.example': 'expected a URL that starts with https://', 'file:///a': 'expected a URL' },
};
const CREDITS = {
  good: ['0', '1,000', 'none'],
  bad: {
    '1.5': 'expected a whole number of credits, or "none" for no limit',
    '-1': 'whole number',
  },
};

interface Cases {
  good: readonly string[];
  bad: Readonly<Record<string, string>>;
}

/** Lists accepted and refused answers to each question, with the messages for refused answers. */
const ANSWERS: Readonly<Record<QuestionName, Cases>> = {
  name: { good: ['Église', 'x'.repeat(120)], bad: { ['x'.repeat(121)]: 'at most 120 characters' } },
  crmKind: { good: ['csv', 'hubspot'], bad: { salesforc: 'did you mean "salesforce"?' } },
  optOutField: { good: ['Any__c', 'none'], bad: {} },
  idColumn: COLUMN,
  nameForm: { good: ['two', 'whole'], bad: { parts: 'Possible: two, whole' } },
  firstName: COLUMN,
  lastName: COLUMN,
  fullName: COLUMN,
  addresses: COLUMN,
  employers: COLUMN,
  badRows: { good: ['stop', 'skip'], bad: { keep: 'Possible: stop, skip' } },
  optOutColumn: MARK,
  deceasedColumn: MARK,
  doNotContactColumn: MARK,
  serviceAddress: ADDRESS,
  serviceKey: {
    good: ['pk_1-a'],
    bad: {
      'pk 1': 'must be one word, without spaces and quotes',
      "pk'1": 'one word',
      'pk€': 'one word',
    },
  },
  perRun: CREDITS,
  perMonth: CREDITS,
  cron: {
    good: ['0 2 * * *', 'none'],
    bad: { '0 25 * * *': 'the hour (field 2)', x: 'five fields' },
  },
  timezone: { good: ['UTC', 'America/Chicago'], bad: { 'Mars/North': 'not a time zone' } },
};

/** These questions depend on the kind of CRM. */
const OF_A_CRM: readonly [name: string, question: Question, answers: Cases][] = [
  [
    'the way to sign in to Salesforce',
    askSignIn(aboutSalesforce),
    { good: ['jwt', 'oauth'], bad: { jtw: 'did you mean "jwt"?' } },
  ],
  ...REMOTE_CRMS.map((about): [string, Question, Cases] => [
    `the address of ${about.name}`,
    askAddress(about),
    ADDRESS,
  ]),
];

describe('each question of a set-up', () => {
  it.each(Object.entries(ANSWERS))('takes and refuses answers by one rule: %s', (name, answers) => {
    const question: Question<unknown> | undefined = Object.entries(QUESTIONS).find(
      ([one]) => one === name,
    )?.[1];
    if (question === undefined) throw new Error(`no question ${name}`);
    requireOneRule(question, answers);
  });

  it.each(OF_A_CRM)('takes and refuses answers by one rule: %s', (_, question, answers) => {
    requireOneRule(question, answers);
  });
});

function requireOneRule(question: Question<unknown>, { good, bad }: Cases): void {
  for (const answer of good) expect(findProblem(question, answer, COLUMNS)).toBeNull();
  for (const [answer, words] of Object.entries(bad)) {
    expect(findProblem(question, answer, COLUMNS)).toContain(words);
  }
  expect(findProblem(question, ' ')).toMatch(/^(Write|Choose) /);
}
