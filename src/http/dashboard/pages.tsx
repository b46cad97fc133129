/** The pages as texts: the one door between the routes and what is written in JSX. */
import { html } from 'hono/html';
import type { KeptWords } from '../../application/kept-words.ts';
import { pageText } from '../assets.ts';
import { type BatchDetail, BatchPage } from './batches.tsx';
import type { Viewer } from './layout.tsx';
import type { Overview } from './overview.ts';
import { PersonsPage, type PersonsView } from './persons-page.tsx';
import { ProblemPage } from './problem-page.tsx';
import type { RunDetail } from './run-detail.ts';
import { RunPage } from './run-page.tsx';
import { SignInPage, type SignInView } from './sign-in-page.tsx';
import { StatusPage } from './status-page.tsx';

/** The status page; `note` says what was just done. */
export function renderStatus(viewer: Viewer, overview: Overview, note: string | null) {
  return pageText(
    html`<!doctype html>${<StatusPage overview={overview} note={note} viewer={viewer} />}`,
  );
}

/** The page of one run; `words` is what the CRM said, empty for those who may not read it. */
export function renderRun(viewer: Viewer, detail: RunDetail, words: readonly KeptWords[]) {
  return pageText(
    html`<!doctype html>${<RunPage detail={detail} words={words} viewer={viewer} />}`,
  );
}

/** A few persons as they would be sent. */
export function renderPersons(viewer: Viewer, view: PersonsView) {
  return pageText(html`<!doctype html>${<PersonsPage view={view} viewer={viewer} />}`);
}

/** The page of contacts that are decided together. */
export function renderBatch(viewer: Viewer, detail: BatchDetail) {
  return pageText(html`<!doctype html>${<BatchPage detail={detail} viewer={viewer} />}`);
}

/** The form to sign in. */
export function renderSignIn(viewer: Viewer, view: SignInView) {
  return pageText(html`<!doctype html>${<SignInPage {...view} viewer={viewer} />}`);
}

/** What is shown instead of a page that cannot be. */
export function renderProblem(viewer: Viewer, message: string) {
  return pageText(html`<!doctype html>${<ProblemPage message={message} viewer={viewer} />}`);
}
