/** Checks that the terminal, the API, its documents and the pages all show the catalogue's text for each code. */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { explain, listCodes } from '../../src/core/codes/explain.ts';
import {
  getOutcome,
  OUTCOME_ORDER,
  OUTCOME_REASONS,
  OUTCOME_TEXTS,
  type OutcomeReason,
} from '../../src/core/outcome.ts';
import { helpCommand } from '../../src/interfaces/cli/commands/help.ts';
import { renderProblem } from '../../src/interfaces/pages/frame/problem-page.tsx';
import { openCliWorld } from '../helpers/cli.ts';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { openHttpWorld } from '../interfaces/api/http-world.ts';
import { runCommand } from '../interfaces/cli/run-command.ts';

const open = closedAfterTest(openHttpWorld);
const openWithFile = closedAfterTest(openCliWorld);
const CODES = listCodes();
const ERRORS = CODES.filter((code) => explain(code).some(({ kind }) => kind === 'error'));

/** Escapes a string as a page does. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function errorText(code: string): { means: string; next: string } {
  const found = explain(code).find(({ kind }) => kind === 'error');
  if (found === undefined) throw new Error(`${code} is not explained.`);
  return { means: found.means, next: found.next };
}

describe('the text of each code', () => {
  it('is there for every outcome, reason and error', () => {
    expect(CODES.length).toBeGreaterThan(300);
    expect(ERRORS.length).toBeGreaterThan(250);
  });

  it('is what `donor-sync help CODE` prints, word for word', async () => {
    for (const code of CODES) {
      const options = { cwd: import.meta.dirname };
      const { stdout } = await runCommand(helpCommand, ['help', code, '--json'], options);
      const { also, ...first } = documentSchema.parse(JSON.parse(stdout));
      expect([first, ...also], code).toEqual(explain(code));
    }
  });

  it("is what the API's documents have of every error", async () => {
    const world = await open({ isIdle: true });
    const { text } = await world.request('/openapi.json');
    const { 'x-error-codes': codes } = openapiSchema.parse(JSON.parse(text));
    expect(codes).toEqual(Object.fromEntries(ERRORS.map((code) => [code, errorText(code)])));
    const docs = (await world.request('/docs')).text;
    for (const code of ERRORS) {
      expect(docs, code).toContain(`<p>${escaped(errorText(code).means)}</p>`);
      expect(docs, code).toContain(`<p>${escaped(errorText(code).next)}</p>`);
    }
  });

  it('is what the page of every error shows below its message', async () => {
    const viewer = { principal: null, now: Date.now(), version: '0.0.0' };
    for (const code of ERRORS) {
      const message = 'The message says which.';
      const page = String(await renderProblem(viewer, 'Not found', { code, message }));
      expect(page).toContain(message);
      expect(page, code).toContain(`<p>${escaped(errorText(code).means)}</p>`);
      expect(page, code).toContain(`<p>${escaped(errorText(code).next)}</p>`);
    }
  });
});

/** All reasons for an outcome. In the run's table, the ID of each contact is the contact's reason. */
const REASONS = Object.keys(OUTCOME_REASONS) as OutcomeReason[];

/** Adds one contact with each reason to the only run in the database. */
function addAllReasons(folder: string): void {
  const db = new Sqlite(join(folder, 'store.db'));
  db.exec('delete from run_rows');
  const add = db.prepare(
    "insert into run_rows (run_id, place, crm_id, reason, at) select id, ?, 'with_' || ?, ?, 1 from runs",
  );
  for (const reason of REASONS) add.run(OUTCOME_ORDER.indexOf(getOutcome(reason)), reason, reason);
  db.close();
}

const startedSchema = z.object({ run: z.object({ id: z.string() }) });
const syncedSchema = z.object({ runs: z.tuple([z.object({ id: z.string() })]) });
const contactSchema = z.object({ reason: z.string(), text: z.string() });

function textsByReason(contacts: readonly z.output<typeof contactSchema>[]) {
  return Object.fromEntries(contacts.map(({ reason, text }) => [reason, text]));
}

describe('the text of each reason of an outcome', () => {
  it('is the same in the API and on the page of a run', async () => {
    const world = await open();
    const token = await world.addToken('admin');
    await world.addPeople(1);
    const path = '/v1/integrations/riverside/runs';
    const started = await world.request(path, { method: 'POST', token });
    const { id } = started.read(startedSchema).run;
    await world.untilEnded(id);
    addAllReasons(world.folder);
    const listed = await world.request(`/v1/runs/${id}/contacts?limit=500`, { token });
    const { contacts } = listed.read(z.object({ contacts: z.array(contactSchema) }));
    expect(textsByReason(contacts)).toEqual(OUTCOME_TEXTS);
    for (const reason of REASONS) {
      const { text } = await world.request(`/runs/${id}?reason=${reason}`, { token });
      expect(text, reason).toContain(
        `<td data-label="Why" class="wide">${escaped(OUTCOME_TEXTS[reason])}</td>`,
      );
    }
  });

  it('is the same in the terminal, also in a file', async () => {
    const world = await openWithFile({ people: 1 });
    const [{ id }] = (await world.runJson(['sync'], syncedSchema)).runs;
    addAllReasons(world.path(''));
    const ofRun = z.object({ runs: z.tuple([z.object({ outcomes: z.array(contactSchema) })]) });
    const [{ outcomes }] = (await world.runJson(['runs', id, '--limit', '500'], ofRun)).runs;
    expect(textsByReason(outcomes)).toEqual(OUTCOME_TEXTS);
    const { stdout } = await world.run(['runs', id, '--csv']);
    for (const reason of REASONS)
      expect(stdout, reason).toContain(OUTCOME_TEXTS[reason].replaceAll('"', '""'));
  });
});

const explanationSchema = z.looseObject({ code: z.string() });
const documentSchema = explanationSchema.extend({ also: z.array(explanationSchema) });
const openapiSchema = z.object({ 'x-error-codes': z.record(z.string(), z.unknown()) });
