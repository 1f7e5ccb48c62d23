import { firstSteps, nextOpenStep, stepState, type FirstStep, type FirstSteps } from '@parrain/domain/first-steps';
import { invitationEmailSent } from '@parrain/domain/messages';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { InvitationOutcome } from '#api/people/invitation-outcome';
import { Card } from '#ui/card';
import { useToast } from '#ui/toast';
import { InvitationResult } from '../../../parts/invitation-result.tsx';
import { CommercialStep } from './commercial-step.tsx';
import { CompanyStep } from './company-step.tsx';
import { DoneStep } from './done-step.tsx';
import { LegalStep } from './legal-step.tsx';
import { MailStep } from './mail-step.tsx';
import { ScaleStep } from './scale-step.tsx';
import { StepFoot } from './step-foot.tsx';
import { StepHead } from './step-head.tsx';
import { StepRail } from './step-rail.tsx';

/** Props of every step: the buttons of its foot around its own, and the call by which it says that it is done. */
export interface StepProps {
  foot: (action: ReactNode, laterWord?: string) => ReactNode;
  onDone: () => void;
}

interface FirstRunProps {
  steps: FirstSteps;
  /** Stands here once no step is left to do. */
  otherwise: ReactNode;
}

/** UI-07, NV-08: « Démarrer », one step on screen at a time with its form in place; each is done by what there is, or put off. */
export default function FirstRun({ steps, otherwise }: FirstRunProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const [chosen, setChosen] = useState<FirstStep>();
  // The steps just done here, before the server is asked again: no form stands a second time meanwhile.
  const [left, setLeft] = useState<readonly FirstStep[]>([]);
  const [invited, setInvited] = useState<{ name: string; outcome: InvitationOutcome }>();
  const next = nextOpenStep({ ...steps, done: [...steps.done, ...left] });
  // Credentials are shown once: nothing moves under them.
  const step = invited ? 'commercial' : (chosen ?? next);
  if (step === undefined || (!invited && next === undefined)) return otherwise;
  const place = firstSteps.indexOf(step);
  const before = firstSteps[place - 1];
  const goOn = () => {
    setLeft([...left, step]);
    setChosen(undefined);
  };
  // An invitation that left by e-mail asks for nothing; another stands until it is passed on.
  const tell = (invitation: { name: string; outcome: InvitationOutcome }) => {
    if (invitation.outcome.state !== 'sent') return setInvited(invitation);
    toast.success(t(invitationEmailSent), { description: `${invitation.name} · ${invitation.outcome.email}` });
    goOn();
  };
  const foot = (action: ReactNode, laterWord?: string) => (
    <StepFoot
      step={step}
      isSkipped={stepState(steps, step) === 'skipped'}
      laterWord={laterWord}
      onLater={goOn}
      onBack={before && (() => setChosen(before))}
    >
      {action}
    </StepFoot>
  );
  return (
    <Card className="overflow-clip">
      <StepRail steps={steps} shown={step} onChoose={setChosen} />
      <div className="mx-auto max-w-[40rem] px-4 py-6 sm:px-6 sm:py-8">
        <StepHead key={step} step={step} place={place} isMoved={chosen !== undefined || left.length > 0} />
        {stepState(steps, step) === 'done' && step !== 'company' ? (
          <DoneStep step={step} onBack={before && (() => setChosen(before))} onDone={goOn} />
        ) : (
          <Step step={step} steps={steps} foot={foot} onDone={goOn} onInvited={tell} />
        )}
      </div>
      <InvitationResult
        invited={invited}
        onClose={() => {
          goOn();
          setInvited(undefined);
        }}
      />
    </Card>
  );
}

interface AnyStepProps extends StepProps {
  step: FirstStep;
  steps: FirstSteps;
  onInvited: (invited: { name: string; outcome: InvitationOutcome }) => void;
}

function Step({ step, steps, onInvited, ...props }: AnyStepProps) {
  switch (step) {
    case 'company':
      return <CompanyStep {...props} />;
    case 'scale':
      return <ScaleStep {...props} />;
    case 'commercial':
      return <CommercialStep {...props} onInvited={onInvited} />;
    case 'mail':
      return <MailStep {...props} isConfigured={steps.isMailConfigured} />;
    case 'legal':
      return <LegalStep {...props} />;
  }
}
