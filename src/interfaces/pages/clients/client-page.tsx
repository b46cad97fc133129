import type { PropsWithChildren } from 'hono/jsx';
import type { Integration } from '../../../core/integration-settings.ts';
import type { AssetName } from '../assets.ts';
import { type ClientSide, ClientSides, sideName } from '../frame/client-sides.tsx';
import { Layout, type Viewer } from '../frame/layout.tsx';

interface ClientPageProps {
  integration: Pick<Integration, 'id' | 'name'>;
  side: ClientSide;
  viewer: Viewer;
  note?: string | null;
  assets?: readonly AssetName[];
}

export function ClientPage(props: PropsWithChildren<ClientPageProps>) {
  const { integration, side, viewer, note = null, assets = [], children } = props;
  const { id, name = id } = integration;
  const title = sideName(side);
  return (
    <Layout
      area="clients"
      title={`${title} of ${name}`}
      viewer={viewer}
      note={note}
      client={id}
      assets={['clientStyles', ...assets]}
    >
      <div class="page-head">
        <p class="crumbs">
          <a href="/">Clients</a> <span aria-hidden="true">/</span>{' '}
          <a href={`/clients/${id}`}>{name}</a>
        </p>
        <h1>{title}</h1>
        <ClientSides client={{ id, name }} side={side} viewer={viewer} />
      </div>
      {children}
    </Layout>
  );
}
