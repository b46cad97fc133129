import type { Integration } from '../../../core/integration-settings.ts';
import { formatCount } from '../../../core/quantities.ts';
import type { Erasable } from '../../../operations/forget-preview.ts';
import type { Viewer } from '../frame/layout.tsx';
import { Icon, NamedId, TableHead } from '../frame/parts.tsx';
import { ContactFrame } from './contact-frame.tsx';
import { contactHref } from './contact-href.ts';

export interface ErasureContent {
  client: Pick<Integration, 'id' | 'name'>;
  erasable: Erasable;
  /** True if the erasure also clears the CRM. */
  alsoInCrm: boolean;
  digest: string;
}

export function ErasurePage({ content, viewer }: { content: ErasureContent; viewer: Viewer }) {
  const { client, erasable, alsoInCrm, digest } = content;
  const { crmId, problem, needsSecondUser, rows } = erasable;
  const page = contactHref(client.id, crmId);
  return (
    <ContactFrame
      client={client}
      crmId={crmId}
      viewer={viewer}
      title={`Erase: contact ${crmId}`}
      heading="Erase this contact?"
      isBelow
    >
      <section class="card" aria-labelledby="erasure-title">
        <h2 id="erasure-title">
          Contact <NamedId id={crmId} client={client.id} />
        </h2>
        <p>{coveredText(erasable, alsoInCrm)}</p>
        {problem !== null && (
          <div class="trouble trouble-attention">
            <Icon kind="attention" />
            <p>
              The CRM could not be read, so the values in it are not counted. {problem} You can
              erase the contact anyway.
            </p>
          </div>
        )}
        {rows.length === 0 ? (
          <p class="empty">donor-sync keeps no data about this contact.</p>
        ) : (
          <>
            <Rows
              caption="What is removed"
              rows={rows.filter(({ effect }) => effect !== 'stays')}
            />
            <Rows caption="What stays" rows={rows.filter(({ effect }) => effect === 'stays')} />
          </>
        )}
        <p>
          The erased data cannot be restored. The contact is blocked, so no sync processes it again.
          The record stays in the CRM.
        </p>
        {needsSecondUser && (
          <p>
            <strong>Another user has to confirm it before anything is erased.</strong>
          </p>
        )}
        <div class="row actions">
          <form method="post" action={`${page}/forget`}>
            <input type="hidden" name="digest" value={digest} />
            {alsoInCrm && <input type="hidden" name="alsoInCrm" value="on" />}
            <button type="submit" class="button primary">
              {needsSecondUser ? 'Request the erasure' : 'Erase this contact'}
            </button>
          </form>
          <a class="button" href={page}>
            Cancel
          </a>
        </div>
      </section>
    </ContactFrame>
  );
}

function coveredText({ clients }: Erasable, alsoInCrm: boolean): string {
  const of =
    clients.length === 1
      ? 'donor-sync erases its data about this contact'
      : `The CRM account belongs to ${clients.length} clients (${clients.join(', ')}). donor-sync erases their data about this contact`;
  return alsoInCrm
    ? `${of}, and clears the values that it wrote to the CRM.`
    : `${of}. The values that it wrote to the CRM stay there.`;
}

const PLACES: Readonly<Record<Erasable['rows'][number]['where'], string>> = {
  database: 'donor-sync database',
  CRM: 'CRM',
  service: 'service',
  audit: 'audit',
};

function Rows({ caption, rows }: { caption: string; rows: Erasable['rows'] }) {
  if (rows.length === 0) return null;
  return (
    <table class="stacks erasable">
      <caption>{caption}</caption>
      <TableHead texts={['Data', 'Number', 'Where', 'Details']} />
      <tbody>
        {rows.map(({ where, what, count, note }) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td data-label="Number">{formatCount(count)}</td>
            <td data-label="Where" class="broad">
              {PLACES[where]}
            </td>
            <td data-label="Details" class={note === null ? 'zero' : 'wide'}>
              {note ?? '–'}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
