/** Renders the network pages as strings. The routes use JSX only through this file. */
import { render, type Viewer } from '../frame/layout.tsx';
import { type DriftContent, DriftPage } from './drift-page.tsx';
import { type NetworkContent, NetworkPage } from './network-page.tsx';
import { type NetworksContent, NetworksPage } from './networks-page.tsx';

export function renderNetworks(viewer: Viewer, content: NetworksContent) {
  return render(<NetworksPage content={content} viewer={viewer} />);
}

export function renderNetwork(viewer: Viewer, content: NetworkContent) {
  return render(<NetworkPage content={content} viewer={viewer} />);
}

export function renderDrift(viewer: Viewer, content: DriftContent) {
  return render(<DriftPage content={content} viewer={viewer} />);
}
