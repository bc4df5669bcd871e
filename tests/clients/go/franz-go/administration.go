package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// An adminCommand is given the words behind the bootstrap servers.
type adminCommand func(ctx context.Context, admin *kadm.Client, words []string) ([]string, error)

// administration is what an administrator does with topics, configs, groups and records. Each command
// has a client of its own: one that remembers the metadata for five seconds would not see changes.
func administration() commands {
	all := commands{}
	for name, run := range map[string]adminCommand{
		"create-topic":       createTopic,
		"topics":             listTopics,
		"partition-count":    countPartitions,
		"topic-config":       topicConfig,
		"alter-topic-config": alterTopicConfig,
		"create-partitions":  createPartitions,
		"groups":             listGroups,
		"group":              describeGroup,
		"delete-group":       deleteGroup,
		"delete-records":     deleteRecords,
		"delete-topic":       deleteTopic,
	} {
		all[name] = func(words []string) ([]string, error) {
			ctx, cancel := context.WithTimeout(context.Background(), timeout)
			defer cancel()
			client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(words[0], ",")...))
			if err != nil {
				return nil, err
			}
			defer client.Close()
			return run(ctx, kadm.NewClient(client), words[1:])
		}
	}
	return all
}

func createTopic(ctx context.Context, admin *kadm.Client, words []string) ([]string, error) {
	partitionCount, err := strconv.Atoi(words[1])
	if err != nil {
		return nil, err
	}
	configs := map[string]*string{}
	for _, config := range words[2:] {
		name, value, _ := strings.Cut(config, "=")
		configs[name] = &value
	}
	_, err = admin.CreateTopic(ctx, int32(partitionCount), 1, configs, words[0])
	return nil, err
}

func listTopics(ctx context.Context, admin *kadm.Client, _ []string) ([]string, error) {
	topics, err := admin.ListTopics(ctx)
	return topics.Names(), err
}

func countPartitions(ctx context.Context, admin *kadm.Client, words []string) ([]string, error) {
	topics, err := admin.ListTopics(ctx, words[0])
	if err != nil {
		return nil, err
	}
	return []string{strconv.Itoa(len(topics[words[0]].Partitions))}, topics[words[0]].Err
}

func topicConfig(ctx context.Context, admin *kadm.Client, words []string) ([]string, error) {
	resources, err := admin.DescribeTopicConfigs(ctx, words[0])
	if err != nil {
		return nil, err
	}
	resource, err := resources.On(words[0], nil)
	if err != nil {
		return nil, err
	}
	for _, config := range resource.Configs {
		if config.Key == words[1] {
			return []string{config.MaybeValue()}, resource.Err
		}
	}
	return nil, fmt.Errorf("%s has no %s: %w", words[0], words[1], resource.Err)
}

func alterTopicConfig(ctx context.Context, admin *kadm.Client, words []string) ([]string, error) {
	change := kadm.AlterConfig{Op: kadm.SetConfig, Name: words[1], Value: &words[2]}
	answers, err := admin.AlterTopicConfigs(ctx, []kadm.AlterConfig{change}, words[0])
	if err != nil {
		return nil, err
	}
	answer, err := answers.On(words[0], nil)
	if err != nil {
		return nil, err
	}
	return nil, answer.Err
}

func createPartitions(ctx context.Context, admin *kadm.Client, words []string) ([]string, error) {
	total, err := strconv.Atoi(words[1])
	if err != nil {
		return nil, err
	}
	answers, err := admin.UpdatePartitions(ctx, total, words[0])
	if err != nil {
		return nil, err
	}
	return nil, answers.Error()
}

func listGroups(ctx context.Context, admin *kadm.Client, _ []string) ([]string, error) {
	groups, err := admin.ListGroups(ctx)
	return groups.Groups(), err
}

func describeGroup(ctx context.Context, admin *kadm.Client, words []string) ([]string, error) {
	groups, err := admin.DescribeGroups(ctx, words[0])
	if err != nil {
		return nil, err
	}
	group, err := groups.On(words[0], nil)
	if err != nil {
		return nil, err
	}
	return []string{group.State, strconv.Itoa(len(group.Members))}, group.Err
}

func deleteGroup(ctx context.Context, admin *kadm.Client, words []string) ([]string, error) {
	_, err := admin.DeleteGroup(ctx, words[0])
	return nil, err
}

func deleteRecords(ctx context.Context, admin *kadm.Client, words []string) ([]string, error) {
	partition, err := strconv.ParseInt(words[1], 10, 32)
	if err != nil {
		return nil, err
	}
	before, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil {
		return nil, err
	}
	var offsets kadm.Offsets
	offsets.AddOffset(words[0], int32(partition), before, -1)
	answers, err := admin.DeleteRecords(ctx, offsets)
	if err != nil {
		return nil, err
	}
	answer, err := answers.On(words[0], int32(partition), nil)
	if err != nil {
		return nil, err
	}
	return []string{strconv.FormatInt(answer.LowWatermark, 10)}, answer.Err
}

func deleteTopic(ctx context.Context, admin *kadm.Client, words []string) ([]string, error) {
	_, err := admin.DeleteTopic(ctx, words[0])
	return nil, err
}
