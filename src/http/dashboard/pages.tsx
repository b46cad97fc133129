/** The pages as texts: the one door between the routes and what is written in JSX. */
import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { KeptWords } from '../../application/kept-words.ts';
import type { PersonDetails } from '../../core/person.ts';
import { countOf } from '../../core/quantities.ts';
import { oddityOf, shapeOf } from '../../sync/sample-persons.ts';
import { pageText } from '../assets.ts';
import { type BatchDetail, BatchPage } from './batches.tsx';
import { AcceptRate } from './integration-card.tsx';
import { Layout, type Viewer } from './layout.tsx';
import { anchorOf, type Overview } from './overview.ts';
import { Cell, CommandLine, Heads, Mark } from './parts.tsx';
import type { RunDetail } from './run-detail.ts';
import { RunPage } from './run-page.tsx';
import { StatusPage } from './status-page.tsx';

function render(page: Child): Promise<string> {
  return pageText(html`<!doctype html>${page}`);
}

/** The status page; `note` says what was just done. */
export function renderStatus(viewer: Viewer, overview: Overview, note: string | null) {
  return render(<StatusPage overview={overview} note={note} viewer={viewer} />);
}

/** The page of one run; `words` is what the CRM said, empty for those who may not read it. */
export function renderRun(viewer: Viewer, detail: RunDetail, words: readonly KeptWords[]) {
  return render(<RunPage detail={detail} words={words} viewer={viewer} />);
}

/** The page of contacts that are decided together. */
export function renderBatch(viewer: Viewer, detail: BatchDetail) {
  return render(<BatchPage detail={detail} viewer={viewer} />);
}

/** What a person reads instead of a page that cannot be shown. */
export function renderProblem(viewer: Viewer, message: string) {
  return render(
    <Layout title="Not possible" viewer={viewer}>
      <div class="card problem">
        <h1>That is not possible</h1>
        <p data-problem>{message}</p>
        <p>
          <a class="button" href="/">
            Back to the status
          </a>
        </p>
      </div>
    </Layout>,
  );
}

export interface SignInView {
  /** Where to go then: a path of ours. */
  to: string;
  /** True after a token that is none of ours. */
  isRefused: boolean;
}

/** The form for strangers. */
export function renderSignIn(viewer: Viewer, { to, isRefused }: SignInView) {
  return render(
    <Layout title="Sign in" viewer={viewer}>
      <form class="card sign-in" method="post" action="/sign-in">
        <h1>Sign in</h1>
        <p class="quiet">Runs, credits and what waits for you.</p>
        {isRefused && (
          <p class="refused" role="alert" id="refused">
            That is not a valid access token. Was it revoked, or cut off in copying?
          </p>
        )}
        <input type="hidden" name="to" value={to} />
        <label for="token">Access token</label>
        <input
          id="token"
          name="token"
          type="password"
          autocomplete="current-password"
          placeholder="dst_…"
          required
          {...(isRefused ? { 'aria-invalid': 'true', 'aria-describedby': 'refused' } : {})}
        />
        <button type="submit" class="button primary">
          Sign in
        </button>
        <p class="quiet">
          An administrator of donor-sync makes one:{' '}
          <CommandLine text='donor-sync tokens create --role viewer --name "Anna"' />
        </p>
      </form>
    </Layout>,
  );
}

/** What the page of persons shows: read from the CRM for this one answer. */
export interface PersonsView {
  integration: { id: string; name: string };
  persons: readonly PersonDetails[];
  /** True if the last run stopped because the service knew too few. */
  isRateLow: boolean;
}

/** A few persons as they would be sent to the service: are these the right columns? */
export function renderPersons(viewer: Viewer, view: PersonsView) {
  const { integration, persons, isRateLow } = view;
  const oddity = oddityOf(persons.map(shapeOf));
  return render(
    <Layout title={`Persons of ${integration.name}`} viewer={viewer}>
      <p>
        <a href={`/#${anchorOf(integration.id)}`}>← Status</a>
      </p>
      <section class="card" aria-labelledby="persons-title">
        <h1 id="persons-title">What is sent of {integration.name}</h1>
        <p class="actions quiet">
          Read from the CRM for this page alone. Names are kept nowhere: reload the page to see them
          again.
        </p>
        {persons.length === 0 ? (
          <p class="empty">No contact can be sent: each needs a first and a last name.</p>
        ) : (
          <PersonTable persons={persons} />
        )}
        {oddity !== null && (
          <div class="trouble trouble-attention">
            <Mark kind="attention" />
            <p>{oddity}</p>
          </div>
        )}
        {isRateLow && (
          <div class="row actions">
            <AcceptRate integration={integration} />
          </div>
        )}
      </section>
    </Layout>,
  );
}

function PersonTable({ persons }: { persons: readonly PersonDetails[] }) {
  return (
    <table class="stacks">
      <caption class="hidden">{countOf(persons.length, 'person')} as sent to the service</caption>
      <Heads texts={['First name', 'Last name', 'Addresses', 'Employers']} />
      <tbody>
        {persons.map(({ firstName, lastName, addresses, employers }) => (
          <tr>
            <th scope="row">{firstName}</th>
            <Cell label="Last name">{lastName}</Cell>
            <Cell label="Addresses">{textOf(addresses)}</Cell>
            <Cell label="Employers">{textOf(employers)}</Cell>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function textOf(texts: readonly string[]): string {
  return texts.length === 0 ? 'none' : texts.join(' | ');
}
