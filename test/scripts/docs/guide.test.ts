/** Tests the guide that `npm run docs` builds: its pages, its links, and its search results. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { buildGuide, type GuideFile, renderAll } from '../../../scripts/docs/build.ts';
import { CONTENTS } from '../../../scripts/docs/contents.ts';
import { SYNONYMS } from '../../../scripts/docs/synonyms.ts';
import { documentAbout } from '../../../src/clients/alerts/conditions.ts';
import { explain, listCodes } from '../../../src/core/codes/explain.ts';
import { guideAddress } from '../../../src/core/guide-address.ts';
import { AREAS, helpAbout } from '../../../src/interfaces/pages/frame/areas.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The maximum size of the guide in the package. */
const MAX_BYTES = 3_000_000;

const searchSchema = z.custom<
  (engine: typeof MiniSearch, data: unknown) => (query: string) => { href: string }[]
>((value) => typeof value === 'function');

let folder: string;
let files: readonly GuideFile[];
/**
 * Returns the places in the guide that the search finds. Omits the first part of each address, which is always the
 * same.
 */
let find: (query: string) => string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'guide-'));
  files = await buildGuide(folder);
  const module = join(ROOT, 'src/interfaces/pages/assets/guide-search.js');
  const { createSearch } = z.object({ createSearch: searchSchema }).parse(await import(module));
  const search = createSearch(MiniSearch, JSON.parse(read('search.json')));
  find = (query) => search(query).map(({ href }) => href.replace('/docs/guide/', ''));
});
afterAll(() => rmSync(folder, { recursive: true }));

function read(file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}

/** Returns true if the address is a page that has the anchor. */
function leadsSomewhere(address: string): boolean {
  const [path = '', anchor] = address.split('#');
  const found = files.find((each) => each.path === path);
  if (found === undefined) return false;
  return anchor === undefined || read(found.file).includes(`id="${anchor}"`);
}

function page(path: string, text: string) {
  return { page: { document: path, name: path, about: '' }, path, text };
}

describe('the guide', () => {
  it('is at most 3 MB', () => {
    const bytes = files.map(({ file }) => statSync(join(folder, file)).size);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
  });

  it('has no script and no style inside a page', () => {
    for (const { file, type } of files.filter((each) => each.type.startsWith('text/html'))) {
      expect(read(file), `${file} ${type}`).not.toMatch(
        /<style|\sstyle=|<script(?![^>]*\ssrc=)|\son\w+=/i,
      );
    }
  });

  it('has no heading without words, and no field but the search', () => {
    for (const { file } of files.filter((each) => each.type.startsWith('text/html'))) {
      expect(read(file), file).not.toMatch(/<th[^>]*>\s*<\/th>|<input (?!type="search")/);
    }
  });

  it('keeps every anchor that a document names', () => {
    const named = CONTENTS.flatMap(({ pages }) => pages).flatMap(({ document }) => {
      return [...readIfThere(document).matchAll(/<a id="([^"]+)"/g)].map(
        ([, id]) => `${document}#${id}`,
      );
    });
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((place) => !leadsSomewhere(guideAddress(place)))).toEqual([]);
  });

  it('has every place that errors, alerts and pages of the product link to', () => {
    const subjects = [
      ...['many_failed', 'key_expires', 'credits_low/networks', 'held', 'held_batch/1'],
      ...['held_missing/1', 'held_opt_outs/1', 'held_erasures/1', 'second_person/1'],
      ...['run_failed/unknown', 'run_stopped/unheard_of'],
      ...listCodes().map((code) => `run_stopped/${code}`),
    ];
    const documents = [
      ...listCodes().flatMap((code) => explain(code).map(({ document }) => document)),
      ...subjects.map(documentAbout),
    ];
    expect(documents.length).toBeGreaterThan(300);
    const addresses = [...documents.map(guideAddress), ...AREAS.map(({ id }) => helpAbout(id))];
    const dead = addresses.filter((address) => !leadsSomewhere(address));
    expect([...new Set(dead)]).toEqual([]);
  });

  it('is not built with a dead link', () => {
    const build = (text: string) => () =>
      renderAll([page('docs/a.md', text), page('docs/b.md', '# B\n\n## There\n')]);
    expect(build('# A\n\n[b](b.md#there) [readme](../README.md) [a](#a)')).not.toThrow();
    for (const link of ['b.md#nowhere', 'c.md', '../nothing.md', '#nowhere']) {
      expect(build(`# A\n\n[x](${link})`), link).toThrow(`docs/a.md: ${link}`);
    }
    expect(build('# A\n\n![x](images/nothing.webp)')).toThrow('docs/a.md: images/nothing.webp');
  });

  it('refuses HTML other than anchors and pictures', () => {
    const build = (text: string) => () => renderAll([page('docs/a.md', text)]);
    for (const html of ['<script>x</script>', '<b onclick="x">y</b>', '<style>a{}</style>']) {
      expect(build(`# A\n\n${html}`), html).toThrow('cannot contain this HTML');
      expect(build(`# A\n\nwords ${html}`), html).toThrow('cannot contain this HTML');
    }
  });
});

/** Returns a document's content. Returns an empty string for a generated page. */
function readIfThere(document: string): string {
  try {
    return readFileSync(join(ROOT, document), 'utf8');
  } catch {
    return '';
  }
}

/**
 * Questions from a user's first week, written before the search was built, with the sections that answer each question.
 */
const QUESTIONS: readonly (readonly [question: string, sections: RegExp])[] = [
  [
    'how do I stop a run',
    /^faq#how-do-i-start-or-stop-a-run|operating#every-night|status-page#runs/,
  ],
  ['why was a contact skipped', /^faq#why-was-a-contact-skipped|outcomes#skipped/],
  ['what costs a credit', /^(concepts|faq)#what-costs-a-credit/],
  ['how do I give a colleague access', /^faq#how-do-i-give-a-colleague|users#(day-by-day|invite)/],
  ['change the schedule', /^faq#how-do-i-change-the-schedule|status-page#pages-of-a-client/],
  ['restore a backup', /^faq#how-do-i-back-up-and-restore|operating#what-is-stored-and-backups/],
  ['HubSpot property missing', /^faq#why-is-a-field-or-property|getting-started-hubspot#3/],
  ['undo a run', /^faq#how-do-i-undo-a-run|operating#undo|concepts#three-ways-back/],
  ['what is a decision', /^concepts#a-decision/],
  ['erase a contact who asked for it', /^faq#someone-asks-to-be-erased|operating#forget/],
  ['who knows a contact', /^faq#who-in-our-networks|warm-paths|concepts#networks-and-warm-paths/],
  ['run it every night', /^(faq#how-do-i-run-a-sync-every-night|operating#every-night)/],
  ['set a monthly budget', /^faq#how-do-i-set-a-budget|settings#budget|operating#credits/],
  ['forgot my password', /^faq#a-user-forgot-the-password|users#replace-a-forgotten-password/],
  ['move from SQLite to Postgres', /^(faq#how-do-i-move|many-machines#from-sqlite)/],
  ['get an alert by e-mail', /^(faq#how-do-i-get-an-alert|alerts)/],
  ['connect Salesforce', /^(connecting|getting-started-salesforce|sign-in-salesforce)/],
  ['upload a CSV file', /^(status-page#set-up|getting-started-csv)/],
  [
    'what does match_rate_low mean',
    /^(errors|outcomes)#match_rate_low|operating#the-first-credits/,
  ],
  ['see who did what', /^(faq|operating)#who-did-what/],
];

/** Questions by someone who knew only the product's first page and its pages in a browser. */
const STRANGERS_QUESTIONS: typeof QUESTIONS = [
  ['setup link expired', /faq#a-link|users#the-first-user|users#recovery/],
  [
    'What permissions does the Salesforce user need so that donor-sync can write to our contacts?',
    /faq#which-perm|sign-in-salesforce#1|connector-salesforce#rights|getting-started-salesforce#1/,
  ],
  [
    'hubspot access token scopes',
    /faq#which-scopes|connector-hubspot#scopes|getting-started-hubspot#1|sign-in-hubspot/,
  ],
  ['csv column names', /faq#which-columns|connector-csv$|getting-started-csv#2/],
  [
    'How do I get the results from the CSV sync back into our donor database?',
    /faq#how-do-i-get-the-results|getting-started-csv#5|connector-csv#what-is-written/,
  ],
  ['monthly spending limit', /faq#how-do-i-set-a-budget|faq#what-happens-when-the-credits/],
  [
    'why was I charged for people who were not found?',
    /faq#why-was-i|faq#what-costs|concepts#what-costs|no_match/,
  ],
  [
    'invoice each chapter for what it used',
    /faq#how-do-i-see-or-bill|operating#credits|status-page#credits/,
  ],
  [
    'I clicked "it is the same person" by mistake, can I take it back?',
    /faq#i-gave|three-ways-back|status-page#decisions|operating#holds/,
  ],
  ['names differ nickname maiden name', /faq#what-if-a-name|name_mismatch/],
  [
    'Which of our board members knows this donor?',
    /warm-paths|faq#who-in|concepts#networks|networks$/,
  ],
  ['change time of nightly sync', /faq#how-do-i-change-the-sch|status-page#pages-of-a-client/],
  [
    'start a sync right away when a contact is edited in Salesforce',
    /faq#how-do-i-sync-at-once|webhooks/,
  ],
  ['forgot password', /faq#a-user-forgot|users#recovery|users#replace-a/],
  ['single sign-on Microsoft Google', /users#sign-in-with|faq#how-do-i-sign-in-with/],
  ['A donor asked us to delete everything we have about them', /faq#someone-asks|operating#forget/],
  [
    'do not contact / exclude some people from being looked up',
    /faq#how-do-i-keep|opted_out|optout|objections/i,
  ],
  ['restore backup new server', /faq#how-do-i-(back|move-donor)|operating#what-is-stored/],
  [
    'database is locked or another process is already running',
    /faq#a-run-is-stuck|already_running|operating#clocks/,
  ],
  [
    'How do I put it behind https on our own domain with docker?',
    /faq#how-do-i-use-our-own|http-api#behind-a-proxy/,
  ],
];

describe('the search of the guide', () => {
  it.each([
    ['of a first week', QUESTIONS],
    ['by a stranger', STRANGERS_QUESTIONS],
  ])(
    'has the right section among the first three for at least 17 of 20 questions %s',
    (_, questions) => {
      const missed = questions.filter(
        ([question, sections]) =>
          !find(question)
            .slice(0, 3)
            .some((place) => sections.test(place)),
      );
      expect(questions).toHaveLength(20);
      expect(missed.length, missed.map(([question]) => question).join(', ')).toBeLessThanOrEqual(3);
    },
  );

  it.each([
    ['get rid of a donor GDPR', /^faq#someone-asks-to-be-erased|operating#forget/],
    ['unsubscribed people', /^faq#how-do-i-keep-a-contact|opt/i],
    ['invoice', /^faq#how-do-i-see-or-bill|operating#credits/],
    ['Okta', /^users#sign-in-with-your-identity-provider/],
    ['import a spreadsheet', /^faq#can-i-import|connector-csv|getting-started-csv/],
    ['upgrade', /^faq#how-do-i-update|operating#updating/],
    ['clicked the wrong button', /^faq#i-gave-a-wrong-answer|concepts#three-ways-back/],
    ['ssl', /proxy|tls|domain/],
  ])('finds the section for the words of users in "%s"', (question, sections) => {
    expect(find(question).slice(0, 3)).toEqual(
      expect.arrayContaining([expect.stringMatching(sections)]),
    );
  });

  it('has a section for each meaning of a synonym, and each typed word once', () => {
    const dead = SYNONYMS.flatMap(({ means }) => means).filter((words) => find(words).length === 0);
    expect(dead).toEqual([]);
    const typed = SYNONYMS.flatMap((each) => each.typed);
    expect(typed.filter((words, at) => typed.indexOf(words) !== at)).toEqual([]);
  });

  it('finds the same for the singular, the plural and the tenses of a word', () => {
    for (const [one, other] of [
      ['schedule', 'schedules'],
      ['stop a run', 'stopping runs'],
      ['retry', 'retries'],
      ['pause', 'paused'],
    ] as const) {
      expect(find(other)[0], other).toBe(find(one)[0]);
    }
  });

  it('does not take a question for a pasted message', () => {
    expect(find('What is a credit; what does it cost?')[0]).toBe('faq#what-costs-a-credit');
  });

  it('completes the word that is being typed', () => {
    expect(find('group net')[0]).toBe('networks');
  });

  it('shows sections before codes with the same words', () => {
    const first = find('group missing').slice(0, 3);
    expect(first.filter((place) => /^(errors|outcomes)#/.test(place))).toEqual([]);
  });

  it('finds a code that is typed as words', () => {
    expect(find('database in use').slice(0, 2).sort()).toEqual([
      'errors#database_in_use',
      'troubleshooting#database_in_use',
    ]);
  });

  it('finds every code first', () => {
    const codes = listCodes().filter((code) => code.includes('_'));
    expect(codes.length).toBeGreaterThan(250);
    const missed = codes.filter((code) => find(code)[0]?.split('#')[1] !== code);
    expect(missed).toEqual([]);
  });

  it('finds settings and variables by name', () => {
    expect(find('budget.perMonth')[0]).toBe('settings#budget.perMonth');
    expect(find('DONOR_SYNC_SECRET_KEY')[0]).toBe('environment#DONOR_SYNC_SECRET_KEY');
  });

  it.each([
    ['There is no client "nowhere". Nothing was changed.', 'errors#integration_unknown'],
    [
      'The database lacks 2 steps of the schema (0003, 0004). Run `donor-sync migrate` once, then try again.',
      'errors#schema_behind',
    ],
    ['Another process is working on this client. Nothing was done.', 'errors#already_running'],
  ])('leads from the message "%s" to its code', (message, place) => {
    expect(find(message)[0]).toBe(place);
  });

  it('finds nothing for words that are nowhere', () => {
    expect(find('xylophone')).toEqual([]);
  });
});
