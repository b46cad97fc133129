/** Searches contacts. The form sends the name in its body, so the browser's history does not contain it. */
import type { z } from 'zod';
import type { Integration } from '../../../core/integration-settings.ts';
import type { findContactsByName } from '../../../operations/contacts.ts';
import { ClientPage } from '../clients/client-page.tsx';
import type { Viewer } from '../frame/layout.tsx';
import { ContactId, TableCell, TableHead } from '../frame/parts.tsx';
import { contactHref } from './contact-href.ts';

export type Found = z.output<typeof findContactsByName.result>['search'];

export interface SearchContent {
  client: Pick<Integration, 'id' | 'name'>;
  /** The search and its results, or null before the first search. */
  searched: { text: string; found: Found } | null;
}

export function SearchPage({ content, viewer }: { content: SearchContent; viewer: Viewer }) {
  const { client, searched } = content;
  return (
    <ClientPage integration={client} side="contacts" viewer={viewer}>
      <section class="card" aria-labelledby="search-title">
        <h2 id="search-title">Find a contact</h2>
        <form class="line-form" method="post" action={`/clients/${client.id}/contacts`}>
          <p>
            <label for="contact-text">Name, or ID in the CRM</label>
            <input
              type="search"
              id="contact-text"
              name="text"
              value={searched?.text ?? ''}
              maxlength={100}
              autocomplete="off"
              required
            />
          </p>
          <button type="submit" class="button primary">
            Search
          </button>
        </form>
        <p class="quiet">
          The CRM is searched, because donor-sync stores no names. Ctrl K does the same on every
          page of this client.
        </p>
      </section>
      {searched !== null && <Results client={client} found={searched.found} />}
    </ClientPage>
  );
}

function Results({ client, found }: { client: SearchContent['client']; found: Found }) {
  const { contacts, isMore, problem } = found;
  return (
    <section class="card" aria-labelledby="results-title">
      <h2 id="results-title">Found</h2>
      {problem !== null && <p>{problem}</p>}
      {contacts.length === 0 ? (
        <p class="empty">No contact was found.</p>
      ) : (
        <table class="stacks">
          <caption class="hidden">Contacts found</caption>
          <TableHead texts={['Name', 'ID in the CRM']} />
          <tbody>
            {contacts.map(({ crmId, name, detail }) => (
              <tr key={crmId}>
                <th scope="row">
                  <a href={contactHref(client.id, crmId)}>{name}</a>
                  {detail !== null && <span class="quiet detail">{detail}</span>}
                </th>
                <TableCell label="ID in the CRM">
                  <ContactId id={crmId} url={null} href={null} />
                </TableCell>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {isMore && <p class="quiet">There may be more contacts. Enter more of the name.</p>}
    </section>
  );
}
