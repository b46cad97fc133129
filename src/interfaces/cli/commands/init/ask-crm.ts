/** Asks which CRM contains the contacts, and how donor-sync signs in there. */
import { myDomainProblem, needsMyDomain } from '../../../../clients/setup/interview/crm.ts';
import { QUESTIONS } from '../../../../clients/setup/interview/questions.ts';
import { usageError } from '../../terminal/output.ts';
import type { Prompter } from '../../terminal/prompts.ts';
import type { Answers, HubspotAnswers, SalesforceAnswers, Surroundings } from './answers.ts';
import { ask, orVariable } from './ask.ts';
import { askFile } from './ask-file.ts';
import { FLAGS, type InitFlags, SIGN_INS } from './flags.ts';

export async function askCrm(
  asker: Prompter,
  flags: InitFlags,
  surroundings: Surroundings,
): Promise<Answers['crm']> {
  const { crmKind } = QUESTIONS;
  const kind = await ask(asker, crmKind, { flag: FLAGS.crmKind, given: flags.crm });
  if (kind === 'csv') return askFile(asker, flags, surroundings);
  return kind === 'hubspot' ? askHubspot(asker, flags) : askSalesforce(asker, flags);
}

async function askHubspot(asker: Prompter, flags: InitFlags): Promise<HubspotAnswers> {
  const { hubspotAddress } = QUESTIONS;
  const url = await ask(asker, orVariable(hubspotAddress), {
    flag: FLAGS.hubspotAddress,
    // HubSpot has only one address.
    given: flags.crmUrl ?? hubspotAddress.initial,
  });
  return { kind: 'hubspot', url, optOut: await askOptOutField(asker, flags) };
}

async function askSalesforce(asker: Prompter, flags: InitFlags): Promise<SalesforceAnswers> {
  const auth = await ask(asker, QUESTIONS.signIn, {
    flag: FLAGS.signIn,
    given: flags.auth,
    among: SIGN_INS,
  });
  const { salesforceAddress } = QUESTIONS;
  const url = await ask(asker, orVariable(salesforceAddress), {
    flag: FLAGS.salesforceAddress,
    given: flags.crmUrl,
    initial: needsMyDomain(auth) ? null : (salesforceAddress.initial ?? null),
  });
  const problem = myDomainProblem(auth, url);
  if (problem !== null) throw usageError(`${FLAGS.salesforceAddress}: ${problem}`);
  return { kind: 'salesforce', url, auth, optOut: await askOptOutField(asker, flags) };
}

function askOptOutField(asker: Prompter, flags: InitFlags): Promise<string | null> {
  return ask(asker, QUESTIONS.optOutField, {
    flag: FLAGS.optOutField,
    aside: ' (its API name, or "none" if there is no such field)',
    given: flags.optOutField,
  });
}
