import type { PersonDetails } from '../../../core/person.ts';
import { ClientSides } from '../frame/client-sides.tsx';
import { Layout, render, type Viewer } from '../frame/layout.tsx';
import { clientHref } from '../home/client-href.ts';
import { AcceptRate } from '../home/client-parts.tsx';
import { SampledPersons } from './persons.tsx';

/** The page's content. donor-sync reads it from the CRM only for this response. */
export interface PersonsView {
  integration: { id: string; name: string };
  persons: readonly PersonDetails[];
  /** True if the last run stopped because the service recognised too few contacts. */
  isRateLow: boolean;
}

/** Renders a few contacts as donor-sync would send them to the service, so that users can check the columns. */
export function renderPersons(viewer: Viewer, view: PersonsView) {
  const { integration, persons, isRateLow } = view;
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
        <h1 id="persons-title">Data that is sent for {integration.name}</h1>
        <p class="actions quiet">
          Read from the CRM only for this page. Names are not stored. Reload the page to see them
          again.
        </p>
        <SampledPersons persons={persons} />
        {isRateLow && (
          <div class="row actions">
            <AcceptRate integration={integration} />
          </div>
        )}
      </section>
    </Layout>,
  );
}
