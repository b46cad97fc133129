/**
 * Checks that each code has the same text, from the catalogue, in the terminal, in the API's documents and on
 * the pages.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { explain, listCodes } from '../../src/core/codes/explain.ts';
import { helpCommand } from '../../src/interfaces/cli/commands/help.ts';
import { renderProblem } from '../../src/interfaces/pages/frame/problem-page.tsx';
import { closedAfterTest } from '../helpers/closed-after-test.ts';
import { openHttpWorld } from '../interfaces/api/http-world.ts';
import { runCommand } from '../interfaces/cli/run-command.ts';

const open = closedAfterTest(openHttpWorld);
const CODES = listCodes();
const ERRORS = CODES.filter((code) => explain(code).some(({ kind }) => kind === 'error'));

/** As a page shows it. */
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

const explanationSchema = z.looseObject({ code: z.string() });
const documentSchema = explanationSchema.extend({ also: z.array(explanationSchema) });
const openapiSchema = z.object({ 'x-error-codes': z.record(z.string(), z.unknown()) });
