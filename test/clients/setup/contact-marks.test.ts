/** The question about marks for mail and calls, and the settings from its answer. */
import { describe, expect, it } from 'vitest';
import { aboutBloomerang } from '../../../connectors/bloomerang/about.ts';
import { aboutCivicrm } from '../../../connectors/civicrm/about.ts';
import { findRemoteCrm } from '../../../connectors/index.ts';
import {
  askContactMarks,
  type MarkSettings,
  readContactMarks,
  withContactMarks,
} from '../../../src/clients/setup/interview/contact-marks.ts';
import { findProblem } from '../../../src/clients/setup/interview/question.ts';
import { answered } from '../../../src/interfaces/pages/setup/forms.ts';
import { PeopleStep } from '../../../src/interfaces/pages/setup/people-step.tsx';

const NOTHING: MarkSettings = { doNotContactField: null };

describe('the question', () => {
  it('names every mark, and what each of them means', () => {
    const civicrm = askContactMarks(aboutCivicrm);
    expect(civicrm?.hint).toContain('do_not_mail (no letters), do_not_email (no e-mail)');
    expect(askContactMarks(aboutBloomerang)?.hint).toContain(
      'DoNotSolicit (no requests for money)',
    );
    const salesforce = findRemoteCrm('salesforce');
    expect(salesforce && askContactMarks(salesforce)).toBeNull();
  });

  it.each([
    [aboutCivicrm, ['none', 'do_not_mail', 'is_opt_out']],
    [
      aboutBloomerang,
      ['none', 'CommunicationRestrictions', 'CommunicationRestrictions=DoNotSolicit'],
    ],
  ])('accepts its own answers only, and keeps them: $name', (about, answers) => {
    const question = askContactMarks(about);
    if (question === null) throw new Error('no question');
    for (const answer of answers) {
      expect(findProblem(question, answer)).toBeNull();
      expect(readContactMarks(about, withContactMarks(about, NOTHING, answer))).toBe(answer);
    }
    expect(findProblem(question, 'do_not_mial')).not.toBeNull();
  });
});

describe('the settings', () => {
  it('say of each mark of a field whether it excludes a contact, so that no contact waits', () => {
    expect(
      withContactMarks(aboutBloomerang, NOTHING, 'CommunicationRestrictions=DoNotSolicit'),
    ).toEqual({
      doNotContactField: 'CommunicationRestrictions',
      doNotContactValues: ['DoNotSolicit'],
      unmarkedValues: { doNotContact: ['DoNotCall', 'DoNotMail'] },
    });
    expect(withContactMarks(aboutBloomerang, NOTHING, 'CommunicationRestrictions')).toEqual({
      doNotContactField: 'CommunicationRestrictions',
      doNotContactValues: ['DoNotCall', 'DoNotMail', 'DoNotSolicit'],
    });
  });

  it('keep another field and the meanings of other marks', () => {
    const own = { doNotContactField: 'Test.Quiet', unmarkedValues: { optOut: ['Board'] } };
    expect(withContactMarks(aboutCivicrm, own, 'none')).toEqual(own);
    expect(withContactMarks(aboutCivicrm, own, 'do_not_mail')).toMatchObject({
      doNotContactField: 'do_not_mail',
      unmarkedValues: { optOut: ['Board'] },
    });
    const former = { doNotContactField: 'do_not_mail' };
    expect(withContactMarks(aboutCivicrm, former, 'none').doNotContactField).toBeNull();
  });
});

describe('the page', () => {
  const setup = (kind: string, more: object = {}): Parameters<typeof answered>[1] =>
    ({
      id: 'riverside',
      name: 'Riverside',
      isNew: true,
      version: 1,
      answers: {
        crm: { kind, url: 'https://crm.example.org' },
        contacts: { filter: null, optOutField: null, deceasedField: null, doNotContactField: null },
      },
      account: 'Riverside',
      stored: null,
      fileName: null,
      done: ['crm', 'key'],
      trial: null,
      ...more,
    }) as never;
  const allowed = { guard: { requirePublic: async () => {} }, apps: {} } as never;
  const view = { header: null, look: null, values: [] } as never;

  it('shows the marks, and has no answer until a user chooses one', () => {
    const html = String(PeopleStep({ setup: setup('civicrm'), view }));
    expect(html).toContain('do_not_mail (no letters)');
    expect(html).toMatch(/<option value="" selected[^>]*>— choose —/);
    const later = String(
      PeopleStep({ setup: setup('civicrm', { done: ['crm', 'people'] }), view }),
    );
    expect(later).toMatch(/<option value="none" selected/);
    expect(String(PeopleStep({ setup: setup('hubspot'), view }))).not.toContain('contactMarks');
  });

  it('does not continue without an answer, but shows who would be sent', async () => {
    const people = (form: Record<string, string>) =>
      answered('people', setup('bloomerang'), form, allowed);
    await expect(people({ do: 'next' })).rejects.toMatchObject({ kind: 'configuration' });
    expect((await people({ do: 'look' })).answers?.contacts.doNotContactField).toBeNull();
    const chosen = await people({ contactMarks: 'CommunicationRestrictions=DoNotCall' });
    expect(chosen.answers?.contacts).toMatchObject({
      doNotContactField: 'CommunicationRestrictions',
      doNotContactValues: ['DoNotCall'],
    });
  });
});
