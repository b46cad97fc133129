import type { Application } from '../../../../application.ts';
import { ConfigurationError } from '../../../../core/errors.ts';
import { didYouMean } from '../../../../core/near-miss.ts';
import type { Reader } from '../../../../database/reader.ts';
import { DECIDED, decideQuestion } from '../../../../decisions/decide.ts';
import { toApprovalRequest } from '../../../../decisions/second-person/ask.ts';
import type { Question } from '../../../../decisions/statements/questions.ts';
import { findQuestion } from '../../../../decisions/statements/questions.ts';
import type { DecisionWord } from '../../../../decisions/views/kinds.ts';
import {
  describeQuestion,
  listChoices,
  listCountedQuestions,
  listDecidedTexts,
  refusalText,
} from '../../../../decisions/views/question.ts';
import type { ProductDeps } from '../../action/product.ts';
import { waitForSecondPerson } from '../../action/second-person.ts';
import { EXIT_CODES, type ExitCode, type Output } from '../../terminal/output.ts';
import { findId, formatTimestamp, shortId } from '../../terminal/words.ts';

/**
 * Decides the holds with these ids, whole or short, all or none: a ConfigurationError says
 * which of them cannot be decided so.
 */
export async function decideQuestions(
  deps: ProductDeps,
  application: Application,
  output: Output,
  word: DecisionWord,
  typed: readonly string[],
): Promise<ExitCode> {
  const { store } = application;
  const open = await listCountedQuestions(store.reader);
  const chosen = new Map<string, Question>();
  for (const id of typed) {
    const hold = await requireOpen(store.reader, open, id);
    requireDecision(hold, word);
    chosen.set(hold.id, hold);
  }
  const request = toApprovalRequest(word, [...chosen.values()]);
  const integrationId = [...chosen.values()][0]?.integrationId;
  if (request !== null && integrationId !== undefined) {
    const waits = await waitForSecondPerson(deps, application, output, { request, integrationId });
    if (waits !== null) return waits;
  }
  const decided: Question[] = [];
  for (const hold of chosen.values()) {
    if (await decideQuestion(store, hold, word)) decided.push(hold);
    else output.note(`${shortId(hold.id)} was decided by another user meanwhile.`);
  }
  const holds = decided.map((hold) => ({ ...describeQuestion(hold), decision: DECIDED[word] }));
  output.finish({ holds }, () => {
    for (const sentence of listDecidedTexts(word, decided)) output.print(sentence);
  });
  return EXIT_CODES.done;
}

async function requireOpen(
  reader: Reader,
  open: readonly Question[],
  typed: string,
): Promise<Question> {
  const ids = open.map((question) => question.id);
  const id = findId(typed, ids);
  const found = open.find((hold) => hold.id === id);
  if (found) return found;
  refuseBatch(open, typed);
  const closed = await findQuestion(reader, typed);
  throw new ConfigurationError(
    closed?.decidedAt
      ? `The hold "${typed}" was ${closed.decision} on ${formatTimestamp(closed.decidedAt)} already.`
      : `There is no open hold "${typed}"${didYouMean(typed, ids) || '.'} \`donor-sync holds\` lists them.`,
    { code: 'hold_unknown', details: { hold: typed } },
  );
}

/** Who means all contacts of a batch has to say so. */
function refuseBatch(open: readonly Question[], typed: string): void {
  const batches = open.flatMap(({ batch }) => batch ?? []);
  const id = findId(typed, new Set(batches));
  if (id === null) return;
  const short = shortId(id);
  throw new ConfigurationError(
    `"${typed}" is a batch of several contacts. Decide all of them with \`donor-sync holds approve --batch ${short}\` or \`donor-sync holds reject --batch ${short}\`.`,
    { code: 'hold_is_batch', details: { batch: id } },
  );
}

/** Throws a ConfigurationError that says what can be decided if this cannot. */
function requireDecision(question: Question, word: DecisionWord): void {
  const choices = listChoices(question);
  if (choices.some(({ decision }) => decision === word)) return;
  const { id } = question;
  const short = shortId(id);
  const named = question.about === 'network' ? ` (network "${question.name}")` : '';
  const steps = choices.map(
    ({ decision, label, effect }) =>
      `\`donor-sync holds ${decision} ${short}\` (${label}): ${effect}`,
  );
  throw new ConfigurationError(
    [`The hold ${short}${named} stays open. ${refusalText(question)}`, ...steps].join('\n'),
    { code: refusalCode(question, word), details: { hold: id } },
  );
}

/** Programs know these words. */
function refusalCode({ about, kind }: Question, word: DecisionWord): string {
  if (about === 'network') return word === 'approve' ? 'hold_not_approvable' : 'hold_of_network';
  return kind === 'lost_answer' ? 'hold_without_profile' : 'hold_not_decidable';
}
