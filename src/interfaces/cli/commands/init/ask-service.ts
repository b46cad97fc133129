/** Asks for the service's address and key. */
import { findProblem } from '../../../../clients/setup/interview/question.ts';
import { QUESTIONS } from '../../../../clients/setup/interview/questions.ts';
import { usageError } from '../../terminal/output.ts';
import type { Prompter } from '../../terminal/prompts.ts';
import type { PartnerAnswers, Surroundings, VariableFor } from './answers.ts';
import { ask, orVariable } from './ask.ts';
import { FLAGS, type InitFlags } from './flags.ts';

const PARTNER_KEY_VARIABLE = 'PARTNER_API_KEY';

const PARTNER_URL_VARIABLE = `\${PARTNER_BASE_URL}`;

export async function askPartner(
  asker: Prompter,
  flags: InitFlags,
  { present, isSet, readKey }: Surroundings,
  variableFor: VariableFor,
): Promise<PartnerAnswers> {
  const url = await ask(asker, orVariable(QUESTIONS.serviceAddress), {
    flag: FLAGS.serviceAddress,
    aside: ' (or a variable that contains it)',
    given: flags.partnerUrl,
    initial: present?.partner?.url ?? PARTNER_URL_VARIABLE,
  });
  const shared = present?.partner?.url === url ? present.partner.keyVariable : null;
  const keyVariable = variableFor(PARTNER_KEY_VARIABLE);
  if (flags.partnerKeyFile !== undefined) {
    return { url, keyVariable, key: requireKey(await readKey(flags.partnerKeyFile)) };
  }
  if (shared !== null && (await sharesKey(asker, flags))) {
    return { url, keyVariable: shared, key: null };
  }
  if (isSet(keyVariable)) return { url, keyVariable, key: null };
  const message = `${QUESTIONS.serviceKey.ask} It is stored in .env, which only you can read, and never in the settings. (Press Enter to set ${keyVariable} yourself)`;
  const key = await asker.secret(message);
  return { url, keyVariable, key: key === null ? null : requireKey(key) };
}

async function sharesKey(asker: Prompter, { yes }: InitFlags): Promise<boolean> {
  return yes || asker.confirm('Does it use the same service key?', true);
}

/** Checks the key. An option must not contain the key, so users type it or name a file. */
function requireKey(text: string): string {
  const key = text.trim();
  const problem = findProblem(QUESTIONS.serviceKey, key);
  if (problem === null) return key;
  throw usageError(`${QUESTIONS.serviceKey.label}: ${problem}`);
}
