/** Creates the page of error codes, from the explanations that `donor-sync help CODE` prints. */

import type { ErrorExplanation } from '../../src/core/codes/errors/explanation.ts';
import { ERROR_TOPICS } from '../../src/core/codes/errors.ts';
import { type CodePlace, findErrorCodes } from '../error-codes.ts';

/** The sections are in the order of `ERROR_TOPICS`. */
const NAMES = [
  'Commands',
  'Credits and runs',
  'The CRM',
  'CSV files',
  'The database',
  'Decisions, undo and erasure',
  'Requests and webhooks',
  'Settings',
  'Set-up in a browser',
  'Users and access tokens',
];

/** Returns the page as Markdown. */
export function writeErrorsPage(): string {
  const { codes: places } = findErrorCodes();
  const topics = ERROR_TOPICS.map(({ document, codes }, topic) => {
    const entries = Object.entries(codes).map(([code, explanation]) =>
      writeCode(
        code,
        explanation,
        explanation.document ?? document,
        listMessages(places.get(code)),
      ),
    );
    return `## ${NAMES[topic] ?? 'More'}\n\n${entries.join('\n')}`;
  });
  return `# Error codes

Each error has a code. Search for the code, or for the sentence that is displayed. In a terminal, \`donor-sync help CODE\` prints the same text.
The outcomes of contacts and their reasons are in [Outcomes](outcomes.md).

${topics.join('\n')}`;
}

function writeCode(
  code: string,
  { means, next, costs }: ErrorExplanation,
  document: string,
  messages: readonly string[],
): string {
  const seen = messages.map((message) => `- ${escapeMarkdown(message)}`);
  return [
    `### ${code}`,
    means,
    `**What to do:** ${next}`,
    ...(costs === undefined ? [] : [`**Costs:** ${costs}`]),
    ...(seen.length === 0 ? [] : ['Messages with this code:', seen.join('\n')]),
    `[More about this](${document.replace(/^docs\//, '')})`,
    '',
  ].join('\n\n');
}

/** The minimum number of fixed words in a message. A message with fewer words consists mostly of its values. */
const MIN_WORDS = 6;

/** Lists the messages. Each message occurs only once in the list. */
function listMessages(places: readonly CodePlace[] = []): string[] {
  const found = places.flatMap(({ message }) => message ?? []);
  return [...new Set(found)].filter((text) => text.split(/[\s…]+/).length >= MIN_WORDS);
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\*_[\]<>#|]/g, '\\$&');
}
