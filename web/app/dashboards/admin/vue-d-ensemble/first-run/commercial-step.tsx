import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import type { InvitationOutcome } from '#api/people/invitation-outcome';
import { inviteCommercial } from '#api/people/invite-commercial';
import { refresh } from '#api/transport/refresh';
import { Button } from '#ui/button';
import { InvitationForm } from '../../../parts/invite-person-dialog.tsx';
import { useCredentialsWay, useInvitationAction } from '../../../parts/use-sends-mail.ts';
import { useCommercialInvitation } from '../../commerciaux/invite-commercial-dialog.tsx';
import type { StepProps } from './first-run.tsx';

interface CommercialStepProps extends StepProps {
  onInvited: (invited: { name: string; outcome: InvitationOutcome }) => void;
}

/** The first commercial's invitation (AD-04); what became of it is told above the steps (E-03). */
export function CommercialStep({ foot, onInvited }: CommercialStepProps) {
  const id = useId();
  const fields = useCommercialInvitation();
  const credentialsWay = useCredentialsWay();
  const action = useInvitationAction();
  const invitation = useMutation({
    mutationFn: inviteCommercial,
    onSuccess: (outcome, { name }) => onInvited({ name, outcome }),
    onSettled: refresh,
  });
  return (
    <div className="flex flex-col gap-5">
      <InvitationForm
        {...fields}
        id={id}
        draft="first-commercial"
        error={invitation.error}
        onEdit={invitation.reset}
        onSubmit={(invited, onRefused) => invitation.mutate(invited, { onError: onRefused })}
      />
      <p className="text-sm text-encre-faint">{credentialsWay}</p>
      {foot(
        <Button type="submit" form={id} variant="primary" pending={invitation.isPending}>
          {action}
        </Button>,
      )}
    </div>
  );
}
