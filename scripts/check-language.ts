/**
 * Finds incorrect wording in documents, comments and shown strings. Prints each sentence that contains such wording,
 * and exits with 1 if there are any. `npm run lint` runs this script. With `--all`, it also prints the sentences of
 * the places that have not been reworded yet.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFaults } from './language/faults.ts';
import { LATER } from './language/later.ts';
import { readDocument, readSource, type Sentence } from './language/texts.ts';

const ROOT = join(import.meta.dirname, '..');

interface Exception {
  file: string;
  words: string;
  why: string;
}

/** Sentences that we must not reword, and strings that are not sentences. */
const NOT_READ: readonly { path: RegExp; kind?: Sentence['kind']; why: string }[] = [
  { path: /^test\//, why: 'only developers read tests' },
  { path: /^CHANGELOG\.md$/, why: 'a published release does not change' },
  { path: /^connectors\/testing\//, kind: 'shown', why: 'names of tests' },
  { path: /^src\/paths\/sentence\.ts$/, kind: 'shown', why: 'is written into the CRM' },
  { path: /^src\/mapping\/field-specs\.ts$/, kind: 'shown', why: 'is written into the CRM' },
  { path: /^sandbox\/(?:hubspot|salesforce)\//, kind: 'shown', why: 'the words of the vendors' },
  {
    path: /(?:content-words|name-words|question\/question)\.ts$/,
    kind: 'shown',
    why: 'lists of words',
  },
];

/** Sentences that nobody should change. The list has at most 20 entries. */
const EXCEPTIONS: readonly Exception[] = [];

export interface Finding {
  file: string;
  line: number;
  kind: Sentence['kind'];
  words: string;
  instead: string;
  text: string;
}

/** Returns every fault in the documents and sources, including the allowed exceptions. */
export function findAll(): Finding[] {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split(
    '\0',
  );
  return files
    .filter((file) => /\.(?:md|tsx?)$/.test(file))
    .filter((file) => !NOT_READ.some(({ path, kind }) => kind === undefined && path.test(file)))
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      const sentences = file.endsWith('.md') ? readDocument(text) : readSource(file, text);
      return sentences.flatMap((sentence) =>
        isRead(file, sentence)
          ? findFaults(sentence.text).map((fault) => ({ file, ...sentence, ...fault }))
          : [],
      );
    });
}

function isRead(file: string, { kind }: Sentence): boolean {
  return !NOT_READ.some((each) => each.kind === kind && each.path.test(file));
}

function isException(finding: Finding): boolean {
  return EXCEPTIONS.some((each) => isMeant(each, finding));
}

function isMeant(exception: Exception, { file, text }: Finding): boolean {
  return exception.file === file && text.includes(exception.words);
}

function isLater({ file, kind }: Finding): boolean {
  return LATER.some(({ place, kinds }) => kinds.includes(kind) && file.startsWith(place));
}

/** Returns all problems. An unnecessary entry in the lists above is also a problem. */
export function listProblems(findings: readonly Finding[]): string[] {
  const wrong = findings.filter((finding) => !isException(finding) && !isLater(finding));
  return [
    ...wrong.map(
      ({ file, line, words, instead, text }) =>
        `${file}:${line} "${words}" (write: ${instead}): ${text}`,
    ),
    ...EXCEPTIONS.filter((each) => !findings.some((finding) => isMeant(each, finding))).map(
      ({ file, words }) => `${file} no longer has "${words}": remove the exception`,
    ),
    ...LATER.filter(
      ({ place, kinds }) =>
        !kinds.every((kind) =>
          findings.some((each) => each.kind === kind && each.file.startsWith(place)),
        ),
    ).map(
      ({ place }) => `${place} no longer needs its entry in the list, or needs it for fewer kinds`,
    ),
  ];
}

if (import.meta.main) {
  const findings = findAll();
  if (process.argv.includes('--all')) {
    for (const { file, line, kind, words, instead, text } of findings) {
      process.stdout.write(`${[file, line, kind, words, instead, text].join('\t')}\n`);
    }
  } else {
    const problems = listProblems(findings);
    for (const problem of problems) process.stderr.write(`${problem}\n`);
    if (problems.length > 0) process.exitCode = 1;
  }
}
