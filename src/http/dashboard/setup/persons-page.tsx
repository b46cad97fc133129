import type { PersonDetails } from '../../../core/person.ts';
import { countOf } from '../../../core/quantities.ts';
import { oddityOf, shapeOf } from '../../../sync/sample-persons.ts';
import { ClientSides } from '../frame/client-sides.tsx';
import { Layout, render, type Viewer } from '../frame/layout.tsx';
import { Cell, Heads, Mark } from '../frame/parts.tsx';
import { clientHref } from '../home/client-href.ts';
import { AcceptRate } from '../home/client-parts.tsx';

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
    <Layout
      area="clients"
      title={`Persons of ${integration.name}`}
      viewer={viewer}
      client={integration.id}
    >
      <p class="crumbs">
        <a href="/">Clients</a> <span aria-hidden="true">/</span>{' '}
        <a href={clientHref(integration.id)}>{integration.name}</a>
      </p>
      <ClientSides client={integration} side={null} viewer={viewer} />
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
