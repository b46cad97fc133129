import type { PersonDetails } from '../../core/person.ts';
import { countOf } from '../../core/quantities.ts';
import { oddityOf, shapeOf } from '../../sync/sample-persons.ts';
import { AcceptRate } from './accept-rate.tsx';
import { anchorOf } from './anchors.ts';
import { Layout, type Viewer } from './layout.tsx';
import { Mark } from './parts.tsx';

/** What the page of persons shows: read from the CRM for this one answer. */
export interface PersonsView {
  integration: { id: string; name: string };
  persons: readonly PersonDetails[];
  /** True if the last run stopped because the service knew too few. */
  isRateLow: boolean;
}

/** A few persons as they would be sent to the service: are these the right columns? */
export function PersonsPage({ view, viewer }: { view: PersonsView; viewer: Viewer }) {
  const { integration, persons, isRateLow } = view;
  const oddity = oddityOf(persons.map(shapeOf));
  return (
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
    </Layout>
  );
}

function PersonTable({ persons }: { persons: readonly PersonDetails[] }) {
  return (
    <table class="stacks">
      <caption class="hidden">{countOf(persons.length, 'person')} as sent to the service</caption>
      <thead>
        <tr>
          <th scope="col">First name</th>
          <th scope="col">Last name</th>
          <th scope="col">Addresses</th>
          <th scope="col">Employers</th>
        </tr>
      </thead>
      <tbody>
        {persons.map(({ firstName, lastName, addresses, employers }) => (
          <tr>
            <th scope="row">{firstName}</th>
            <td data-label="Last name" class="wide">
              {lastName}
            </td>
            <td data-label="Addresses" class="wide">
              {textOf(addresses)}
            </td>
            <td data-label="Employers" class="wide">
              {textOf(employers)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function textOf(texts: readonly string[]): string {
  return texts.length === 0 ? 'none' : texts.join(' | ');
}
