import { BadgeCheck, Clock, Inbox, Trash2, Users } from 'lucide-react';
import { StrictMode, useState, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { Amount } from '#ui/amount';
import { AmountInput } from '#ui/amount-input';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { Card, CardBody, CardHeader } from '#ui/card';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { CopyButton } from '#ui/copy-button';
import { DataTable, type DataColumn, type DataSort } from '#ui/data-table';
import { DateText } from '#ui/date';
import { Dialog } from '#ui/dialog';
import { EmptyState } from '#ui/empty-state';
import { Field } from '#ui/field';
import { FigureCard, FigureGrid } from '#ui/figure-card';
import { IconButton } from '#ui/icon-button';
import { Menu } from '#ui/menu';
import { PasswordInput } from '#ui/password-input';
import { RadioGroup } from '#ui/radio-group';
import { Select } from '#ui/select';
import { BottomBar } from '#ui/bottom-bar';
import { SideNav } from '#ui/side-nav';
import { SidePanel } from '#ui/side-panel';
import { TextInput } from '#ui/text-input';
import { Textarea } from '#ui/textarea';
import { ThemeSwitch } from '#ui/theme-switch';
import { ToastProvider, useToast } from '#ui/toast';
import '../../app/styles/app.css';

// Every piece of the interface on one page, for the tests of tests/kit.test.ts and for looking at it.

interface Sale {
  id: string;
  name: string;
  cents: bigint | null;
}

const sales: readonly Sale[] = Array.from({ length: 60 }, (_, index) => ({
  id: String(index),
  name: index === 0 ? 'Élodie Œuvrard' : `Client ${String(index).padStart(2, '0')}`,
  cents: index === 1 ? null : BigInt(index) * 12_345n,
}));

const columns: readonly DataColumn<Sale>[] = [
  {
    id: 'name',
    header: 'Client',
    cell: (row) => row.name,
    sortable: true,
  },
  {
    id: 'amount',
    header: 'Montant',
    align: 'right',
    cell: (row) => (row.cents === null ? '—' : <Amount cents={row.cents} />),
    sortable: true,
    total: <Amount cents={21_851_550n} />,
  },
  {
    id: 'actions',
    header: 'Actions',
    headerHidden: true,
    cell: (row) => <IconButton label={`Supprimer ${row.name}`} icon={<Trash2 />} tone="danger" />,
  },
];

const state = new URLSearchParams(location.search).get('table');

function Table() {
  const [opened, setOpened] = useState<string>();
  const [retried, setRetried] = useState(0);
  const server = useServer();
  const isComing = state === 'loading' || state === 'failed';
  return (
    <Card>
      <CardHeader title="Ventes" description={opened && `Ouvert : ${opened}`} />
      <DataTable
        caption="Toutes les ventes"
        columns={columns}
        rows={isComing ? undefined : state === 'empty' ? none : state === 'local' ? sales : server.page.rows}
        rowKey={(row) => row.id}
        failed={state === 'failed'}
        onRetry={() => setRetried(retried + 1)}
        searchLabel="Rechercher une vente"
        server={isComing || state === 'empty' || state === 'local' ? undefined : server}
        onRowOpen={(row) => setOpened(row.name)}
        rowHref={(row) => `#${row.id}`}
        empty={<EmptyState icon={<Inbox />} title="Aucune vente" description="La première arrive bientôt." />}
      />
      <p>Essais : {retried}</p>
    </Card>
  );
}

/** Sorts, searches and cuts one page, as the server would. */
function useServer() {
  const [sort, setSort] = useState<DataSort>();
  const [search, setSearch] = useState('');
  const found = sales
    .filter(({ name }) => name.toLowerCase().includes(search))
    .toSorted((left, right) =>
      sort === undefined ? 0 : (sort.desc ? -1 : 1) * Number((left.cents ?? 0n) - (right.cents ?? 0n)),
    );
  const alone = { first: null, previous: null, next: null, last: null };
  return {
    page: { rows: found.slice(0, 25), rowCount: found.length, from: 0, ...alone },
    onMove: () => undefined,
    sort,
    onSortChange: setSort,
    search,
    onSearchChange: setSearch,
  };
}

const none: readonly Sale[] = [];

function Overlays() {
  const toast = useToast();
  const [open, setOpen] = useState<'dialog' | 'confirm' | 'panel'>();
  const [confirmed, setConfirmed] = useState(false);
  const close = () => setOpen(undefined);
  return (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => setOpen('dialog')}>Ouvrir le dialogue</Button>
      <Button onClick={() => setOpen('confirm')}>Supprimer</Button>
      <Button onClick={() => setOpen('panel')}>Ouvrir le panneau</Button>
      <Button onClick={() => toast.success('Barème créé')}>Réussir</Button>
      <Button onClick={() => toast.error('Erreur lors de la création du barème')}>Échouer</Button>
      <Button pending>En cours</Button>
      <CopyButton text="mot-de-passe-temporaire" />
      <Menu
        trigger={<Button>Autres actions</Button>}
        items={[
          { id: 'a', label: 'Exporter', onSelect: () => toast.info('Export demandé') },
          { id: 'b', label: 'Archiver', onSelect: () => undefined, tone: 'danger' },
        ]}
      />
      <Dialog
        open={open === 'dialog'}
        onOpenChange={close}
        title="Ajouter un client"
        footer={<Button onClick={close}>Fermer ici</Button>}
      >
        <Field label="Nom">
          <TextInput />
        </Field>
      </Dialog>
      <ConfirmDialog
        open={open === 'confirm'}
        onOpenChange={close}
        title="Supprimer Léa Martin ?"
        description="Cette action est irréversible."
        confirmLabel="Supprimer définitivement"
        onConfirm={() => {
          setConfirmed(true);
          close();
        }}
      />
      <SidePanel open={open === 'panel'} onOpenChange={close} title="Vente de Léa Martin">
        <p>Le détail.</p>
      </SidePanel>
      {confirmed && <p>Supprimé</p>}
    </div>
  );
}

function Form() {
  const [method, setMethod] = useState<'virement' | 'cheque'>('virement');
  const [scale, setScale] = useState<'a' | 'b' | null>(null);
  return (
    <div className="grid max-w-md gap-5">
      <Field label="Nom" hint="Comme sur la pièce d’identité." error="Le nom est requis">
        <TextInput />
      </Field>
      <Field label="Téléphone" optional>
        <TextInput type="tel" />
      </Field>
      <Field label="Montant du contrat">
        <AmountInput />
      </Field>
      <Field label="Mot de passe">
        <PasswordInput autoComplete="new-password" />
      </Field>
      <Field label="Message" optional>
        <Textarea counterMax={10} />
      </Field>
      <Field label="Barème">
        <Select
          value={scale}
          onValueChange={setScale}
          options={[
            { value: 'a', label: 'Découverte', description: '10 % et 50 €' },
            { value: 'b', label: 'Fidélité' },
          ]}
        />
      </Field>
      <RadioGroup
        legend="Mode de paiement"
        value={method}
        onValueChange={setMethod}
        options={[
          { value: 'virement', label: 'Virement' },
          { value: 'cheque', label: 'Chèque cadeau' },
        ]}
      />
    </div>
  );
}

function Navigation() {
  const [current, setCurrent] = useState<'a' | 'b'>('a');
  const waiting = [
    { count: 2, words: 'à décider' },
    { count: 1, words: 'à payer' },
  ];
  const nav = {
    label: 'Sections',
    current,
    onSelect: setCurrent,
    hrefOf: (id: string) => `#${id}`,
    groups: [
      {
        items: [
          { id: 'a', label: 'Clients', icon: <Users /> },
          { id: 'b', label: 'Validations', icon: <BadgeCheck />, waiting },
        ] as const,
      },
    ],
  };
  return (
    <>
      <div className="w-60">
        <SideNav {...nav} />
      </div>
      <BottomBar {...nav} label="Sections en bas" moreLabel="Plus" onMore={() => undefined} />
    </>
  );
}

function Part({ children }: { children: ReactNode }) {
  return <CardBody className="mx-auto max-w-5xl">{children}</CardBody>;
}

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <ToastProvider>
        <main>
          <h1>Les pièces de l’interface</h1>
          <Part>
            <Overlays />
          </Part>
          <Part>
            <FigureGrid>
              <FigureCard
                label="CA Total"
                value={<Amount cents={123_456n} />}
                note="depuis le 3 mars"
                action={{ label: 'Voir les ventes', onClick: () => undefined }}
              />
              <FigureCard label="Disponible" value={<Amount cents={-2_346n} />} tone="yours" />
              <FigureCard label="Non chargé" value={undefined} failed />
            </FigureGrid>
          </Part>
          <Part>
            <Badge tone="amber" icon={<Clock aria-hidden />}>
              En attente
            </Badge>
            <p data-date>
              <DateText value="2026-11-21T14:32:00+01:00" withTime />
            </p>
            <ThemeSwitch />
          </Part>
          <Part>
            <Table />
          </Part>
          <Part>
            <Form />
          </Part>
          <Part>
            <Navigation />
          </Part>
        </main>
      </ToastProvider>
    </StrictMode>,
  );
