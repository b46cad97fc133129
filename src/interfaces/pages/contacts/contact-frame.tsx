import type { PropsWithChildren } from 'hono/jsx';
import type { Integration } from '../../../core/integration-settings.ts';
import { ClientSides } from '../frame/client-sides.tsx';
import { Layout, type Viewer } from '../frame/layout.tsx';
import { clientHref } from '../home/client-href.ts';
import { contactHref } from './contact-href.ts';

interface ContactFrameProps {
  client: Pick<Integration, 'id' | 'name'>;
  crmId: string;
  viewer: Viewer;
  /** The page's title. The title never contains a name, because browsers keep titles in their history. */
  title: string;
  heading: string;
  /** True for a page below the contact's page. */
  isBelow?: boolean;
  note?: string | null;
}

export function ContactFrame(props: PropsWithChildren<ContactFrameProps>) {
  const { client, crmId, viewer, title, heading, isBelow = false, note = null, children } = props;
  const { id, name = id } = client;
  return (
    <Layout
      area="clients"
      title={`${title} of ${name}`}
      viewer={viewer}
      client={id}
      note={note}
      assets={['clientStyles', 'decisionStyles', 'networkStyles']}
    >
      <div class="page-head">
        <p class="crumbs">
          <a href="/">Clients</a> <span aria-hidden="true">/</span>{' '}
          <a href={clientHref(id)}>{name}</a> <span aria-hidden="true">/</span>{' '}
          <a href={`${clientHref(id)}/contacts`}>Contacts</a>
          {isBelow && (
            <>
              {' '}
              <span aria-hidden="true">/</span> <a href={contactHref(id, crmId)}>{crmId}</a>
            </>
          )}
        </p>
        <h1>{heading}</h1>
        <ClientSides client={{ id, name }} side={null} viewer={viewer} />
      </div>
      {children}
    </Layout>
  );
}
