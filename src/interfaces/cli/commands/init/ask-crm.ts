/** Asks for the CRM and for the way in which donor-sync signs in. */
import type { AboutRemoteCrm, SignIn } from '../../../../../connectors/about.ts';
import { findRemoteCrm } from '../../../../../connectors/index.ts';
import { askContactMarks } from '../../../../clients/setup/interview/contact-marks.ts';
import {
  askAddress,
  askSignIn,
  findAddressProblem,
} from '../../../../clients/setup/interview/crm.ts';
import { QUESTIONS } from '../../../../clients/setup/interview/questions.ts';
import { usageError } from '../../terminal/output.ts';
import type { Prompter } from '../../terminal/prompts.ts';
import type { Answers, RemoteAnswers, Surroundings } from './answers.ts';
import { ask, orVariable } from './ask.ts';
import { askFile } from './ask-file.ts';
import { FLAGS, type InitFlags, listTerminalWays } from './flags.ts';

export async function askCrm(
  asker: Prompter,
  flags: InitFlags,
  surroundings: Surroundings,
): Promise<Answers['crm']> {
  const { crmKind } = QUESTIONS;
  const installed = await surroundings.findPackage(flags.crm);
  if (installed !== null) return askRemote(asker, flags, installed);
  const kind = await ask(asker, crmKind, { flag: FLAGS.crmKind, given: flags.crm });
  const about = findRemoteCrm(kind);
  return about === undefined ? askFile(asker, flags, surroundings) : askRemote(asker, flags, about);
}

async function askRemote(
  asker: Prompter,
  flags: InitFlags,
  about: AboutRemoteCrm,
): Promise<RemoteAnswers> {
  const signIn = await chooseSignIn(asker, flags, about);
  const { usual, isForAll = false } = about.setup.address;
  const url = await ask(asker, orVariable(askAddress(about)), {
    flag: FLAGS.address,
    given: flags.crmUrl ?? (isForAll ? usual : undefined),
    initial: signIn.needsOwnAddress ? null : (usual ?? null),
  });
  const problem = findAddressProblem(about, signIn.type, url);
  if (problem !== null) throw usageError(`${FLAGS.address}: ${problem.problem}`);
  const optOut = await askOptOutField(asker, flags);
  const contactMarks = await chooseContactMarks(asker, flags, about);
  return { kind: 'remote', about, url, signIn, optOut, contactMarks };
}

async function chooseContactMarks(
  asker: Prompter,
  flags: InitFlags,
  about: AboutRemoteCrm,
): Promise<string | null> {
  const question = askContactMarks(about);
  if (question === null) return null;
  return ask(asker, question, {
    flag: FLAGS.contactMarks,
    given: flags.contactMarks,
    aside: ` ${question.hint ?? ''}`,
  });
}

async function chooseSignIn(
  asker: Prompter,
  flags: InitFlags,
  about: AboutRemoteCrm,
): Promise<SignIn> {
  const ways = listTerminalWays(about);
  const [only] = ways;
  if (only === undefined) throw new Error(`${about.kind} has no way to sign in without a browser`);
  if (ways.length === 1) return only;
  const chosen = await ask(asker, askSignIn(about), {
    flag: FLAGS.signIn,
    given: flags.auth,
    among: ways.map(({ type }) => type),
  });
  return ways.find(({ type }) => type === chosen) ?? only;
}

function askOptOutField(asker: Prompter, flags: InitFlags): Promise<string | null> {
  return ask(asker, QUESTIONS.optOutField, {
    flag: FLAGS.optOutField,
    aside: ' (its API name, or "none" if there is no such field)',
    given: flags.optOutField,
  });
}
