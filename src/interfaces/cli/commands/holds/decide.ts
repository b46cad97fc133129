import type { Application } from '../../../../application.ts';
import { ConfigurationError } from '../../../../core/errors.ts';
import { didYouMean } from '../../../../core/near-miss.ts';
import type { NetworkQuestionKind } from '../../../../database/tables/decisions.ts';
import { DECIDED, decideQuestion } from '../../../../decisions/decide.ts';
import { toApprovalRequest } from '../../../../decisions/second-person/ask.ts';
import type {
  ContactQuestion,
  NetworkQuestion,
  Question,
} from '../../../../decisions/statements/questions.ts';
import type { DecisionWord } from '../../../../decisions/views/kinds.ts';
import {
  decidedText,
  decisionsFor,
  describeQuestion,
  listOpenQuestions,
  type QuestionStore,
  reasonText,
} from '../../../../decisions/views/question.ts';
import type { ProductDeps } from '../../action/product.ts';
import { waitForSecondPerson } from '../../action/second-person.ts';
import { EXIT_CODES, type ExitCode, type Output } from '../../terminal/output.ts';
import { describeCount, findId, formatTimestamp, shortId } from '../../terminal/words.ts';

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
  const open = await listOpenQuestions(store);
  const chosen = new Map<string, Question>();
  for (const id of typed) {
    const hold = await requireOpen(store, open, id);
    if (hold.about === 'network') requireNetworkDecision(hold, word);
    else requireContactDecision(hold, word);
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
    for (const sentence of sentencesFor(word, decided)) output.print(sentence);
  });
  return EXIT_CODES.done;
}

async function requireOpen(
  store: QuestionStore,
  open: readonly Question[],
  typed: string,
): Promise<Question> {
  const ids = open.map((question) => question.id);
  const id = findId(typed, ids);
  const found = open.find((hold) => hold.id === id);
  if (found) return found;
  refuseBatch(open, typed);
  const closed = await store.questions.find(typed);
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

function requireContactDecision(hold: ContactQuestion, word: DecisionWord): void {
  const { id, kind } = hold;
  if (decisionsFor(hold).includes(word)) return;
  const short = shortId(id);
  if (kind === 'identity_mass_change') {
    throw new ConfigurationError(
      `The hold ${short} is about details that changed: nothing was submitted yet. \`donor-sync holds approve ${short}\` asks the service about them, for a credit; \`donor-sync holds reject ${short}\` takes them over without one.`,
      { code: 'hold_not_decidable', details: { hold: id } },
    );
  }
  if (kind === 'contacts_missing') {
    throw new ConfigurationError(
      `The hold ${short} is about a contact that is missing from the CRM. \`donor-sync holds approve ${short}\` says that it is gone; \`donor-sync holds reject ${short}\` waits for it.`,
      { code: 'hold_not_decidable', details: { hold: id } },
    );
  }
  if (kind === 'mass_opt_out') {
    throw new ConfigurationError(
      `The hold ${short} is about an opt-out mark. \`donor-sync holds approve ${short}\` says that the mark is right; \`donor-sync holds reject ${short}\` that it is an error.`,
      { code: 'hold_not_decidable', details: { hold: id } },
    );
  }
  if (kind === 'erasure_requested') {
    throw new ConfigurationError(`The hold ${short} is about an erasure: ${reasonText(hold)}.`, {
      code: 'hold_not_decidable',
      details: { hold: id },
    });
  }
  if (kind === 'forgotten_person') {
    throw new ConfigurationError(
      `The hold ${short} is about a contact that looks like an erased person. \`donor-sync holds approve ${short}\` says that it is another one; \`donor-sync holds reject ${short}\` blocks it as well.`,
      { code: 'hold_not_decidable', details: { hold: id } },
    );
  }
  // Approving writes the profile that is there; after a lost answer there is none.
  throw new ConfigurationError(
    `The hold ${short} has no profile to approve: the answer was lost. Ask the service again, for another credit, with \`donor-sync holds resubmit ${short}\`, or leave the contact alone with \`donor-sync holds reject ${short}\`.`,
    { code: 'hold_without_profile', details: { hold: id } },
  );
}

/** One sentence about each sort of hold, only if there is any. */
function sentencesFor(word: DecisionWord, decided: readonly Question[]): string[] {
  const networks = decided.filter(({ about }) => about === 'network').length;
  const changes = decided.filter(({ kind }) => kind === 'identity_mass_change').length;
  const erased = decided.filter(({ kind }) => kind === 'forgotten_person').length;
  const missing = decided.filter(({ kind }) => kind === 'contacts_missing').length;
  const optOuts = decided.filter(({ kind }) => kind === 'mass_opt_out').length;
  const erasures = decided.filter(({ kind }) => kind === 'erasure_requested').length;
  const contacts = decided.length - networks - changes - erased - missing - optOuts - erasures;
  return [
    ...(contacts > 0 || contacts === decided.length ? [sentenceFor(word, contacts)] : []),
    ...(erased > 0 ? [erasedSentence(word, erased)] : []),
    ...(changes > 0 && word !== 'resubmit'
      ? [decidedText(word, 'identity_mass_change', changes)]
      : []),
    ...(missing > 0 && word !== 'resubmit' ? [decidedText(word, 'contacts_missing', missing)] : []),
    ...(optOuts > 0 && word !== 'resubmit' ? [decidedText(word, 'mass_opt_out', optOuts)] : []),
    ...(erasures > 0 && word !== 'resubmit'
      ? [decidedText(word, 'erasure_requested', erasures)]
      : []),
    ...(networks > 0 ? [networkSentence(word, networks)] : []),
  ];
}

function erasedSentence(word: DecisionWord, count: number): string {
  const holds = describeCount(count, 'hold');
  return word === 'approve'
    ? `${holds} approved: not the person who was erased. The next sync goes on, and does not ask again.`
    : `${holds} rejected: blocked like the person who was erased. \`donor-sync forget\` erases what was written before.`;
}

function networkSentence(word: DecisionWord, count: number): string {
  const holds = describeCount(count, 'hold');
  return word === 'approve'
    ? `${holds} of networks approved. The next sync goes on with it.`
    : `${holds} of networks rejected. Nothing is changed there until something else changes.`;
}

function sentenceFor(word: DecisionWord, count: number): string {
  const holds = describeCount(count, 'hold');
  switch (word) {
    case 'approve':
      return `${holds} approved. The next sync writes the profiles.`;
    case 'reject':
      return `${holds} rejected. The contacts are left alone.`;
    case 'resubmit':
      return `${holds} to be submitted again. The next sync spends ${describeCount(count, 'credit')} on that.`;
  }
}

/** What a person can do about holds that cannot be approved. */
const FIXES: Readonly<Partial<Record<NetworkQuestionKind, string>>> = {
  group_unreadable:
    'Correct the group in the CRM, or name another one in the settings: the hold goes with the next sync',
  name_taken:
    'Give one of the two networks another name, here or at the service: the hold goes with the next sync',
  network_refused:
    'Correct what is refused, for example a name that is too long, in the settings: the hold goes with the next sync',
};

/** Throws a ConfigurationError that says what to do if the hold cannot be decided so. */
function requireNetworkDecision(
  { id, kind, name }: NetworkQuestion,
  word: 'approve' | 'reject' | 'resubmit',
): void {
  const short = shortId(id);
  const fix = FIXES[kind];
  if (word === 'resubmit') {
    throw new ConfigurationError(
      `The hold ${short} is about the network "${name}", and there is nothing to submit again. Approve or reject it.`,
      { code: 'hold_of_network', details: { hold: id } },
    );
  }
  if (word === 'approve' && fix !== undefined) {
    throw new ConfigurationError(
      `The hold ${short} of the network "${name}" cannot be approved. ${fix}; \`donor-sync holds reject ${short}\` hides it until then.`,
      { code: 'hold_not_approvable', details: { hold: id } },
    );
  }
}
